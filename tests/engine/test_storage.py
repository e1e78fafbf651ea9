"""Storage and registry on the real engine: who is asked before what, and what nobody touches."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.clusters import cluster
from tests.engine.harness import Stack

pytestmark = pytest.mark.engine

STORAGE: dict[str, Any] = {
    "flavor": "m1.small",
    "volumes": [{"name": "data", "size-gib": 5, "mount-to": "/volume"}],
    "exports": [{"directory": "/volume/nfs", "to": "10.20.0.0/24"}],
    "persistent-volumes": [{"name": "shared", "size-gib": 1, "path": "/volume/nfs/shared", "storage-class": "nfs"}],
}
REGISTRY: dict[str, Any] = {"flavor": "m1.small", "volume-gib": 5, "pull-secrets": [{"namespace": "default"}]}


def with_both(storage: dict[str, Any] | None = None, registry: dict[str, Any] | None = None, **more: Any) -> Any:
    return cluster(storage={**STORAGE, **(storage or {})}, registry={**REGISTRY, **(registry or {})}, **more)


@pytest.fixture
def running(stack: Stack) -> Stack:
    stack.stands(with_both())
    return stack


def test_volumes_of_the_cluster_come_after_the_exports_they_point_to(stack: Stack) -> None:
    run = stack.up(with_both())
    assert run.ok, run.output
    assert run.in_order("create storage-data-mount", "create storage-configure")
    assert run.in_order("create storage-configure", "create PersistentVolume persistent-volumes-shared")
    assert run.in_order("create worker-0-registries", "create worker-0-join")


def test_a_second_up_changes_nothing(running: Stack) -> None:
    run = running.up(with_both())
    assert run.ok, run.output
    assert run.steps == []


@pytest.mark.parametrize("node", ["storage", "registry"])
def test_heal_touches_the_machine_and_nothing_else(running: Stack, node: str) -> None:
    run = running.up(with_both(**{node: {"heal": {node: 1}}}))
    assert run.ok, run.output
    assert run.in_order(f"delete Instance {node}", f"create Instance {node}", f"create {node}-configure")
    assert {name.split("-")[0] for name in run.touched()} == {node}
    assert not [step for step in run.steps if "Volume" in step or "Port" in step or "guard" in step]


def test_a_guard_that_refuses_stops_every_change_of_the_storage(running: Stack) -> None:
    running.break_steps("update storage-guard")
    less = {"exports": [{"directory": "/volume/other", "to": "10.20.0.0/24"}], "persistent-volumes": []}
    run = running.up(with_both({**less, "heal": {"storage": 1}}))
    assert not run.ok
    assert run.steps == ["update storage-guard"]


def test_no_volume_is_made_or_grows_when_the_guard_refuses(running: Stack) -> None:
    running.break_steps("update storage-guard")
    volumes = [*STORAGE["volumes"], {"name": "fresh", "size-gib": 5, "mount-to": "/other"}]
    volumes[0] = {**volumes[0], "size-gib": 9}
    run = running.up(with_both({"volumes": volumes, "exports": [], "persistent-volumes": [], "heal": {"storage": 1}}))
    assert not run.ok
    assert run.steps == ["update storage-guard"]


def test_storage_that_goes_is_asked_about_before_anything_of_it_is_removed(running: Stack) -> None:
    running.break_steps("update storage-guard")
    without = cluster(registry=REGISTRY)
    run = running.up(without)
    assert not run.ok
    assert not [step for step in run.steps if step.startswith("delete")]
    running.break_steps()
    run = running.up(without)
    assert run.ok, run.output
    assert run.in_order("update storage-guard", "delete PersistentVolume persistent-volumes-shared")
    assert run.in_order("delete PersistentVolume persistent-volumes-shared", "delete Instance storage")
    assert "delete Volume storage-data" not in run.steps
    assert running.up(without).ok


def test_destroy_asks_no_cluster_and_leaves_only_what_is_kept(stack: Stack) -> None:
    stack.stands(with_both(registry={"keep-volume": False}))
    run = stack.destroy()
    assert run.ok, run.output
    deleted = [step for step in run.steps if step.startswith("delete")]
    assert not [step for step in deleted if "PersistentVolume" in step or "Secret" in step or "ConfigMap" in step]
    assert "delete Volume registry-images" in deleted
    assert "delete Volume storage-data" not in deleted


def test_nodes_forget_registries_that_are_gone(running: Stack) -> None:
    run = running.up(cluster(storage=STORAGE))
    assert run.ok, run.output
    assert "update worker-0-registries" in run.steps
    assert "delete worker-0-registries" not in run.steps
