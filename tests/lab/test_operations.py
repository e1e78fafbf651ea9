"""Every verb on a real cluster: it does what its ticket said, and nothing the second time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openstack
import pytest

from lifecycle.cloud import CLUSTER
from lifecycle.errors import Exit
from tests.lab.operations_project import STACK, OperatedCluster, Run

pytestmark = [pytest.mark.lab, pytest.mark.long]

FRONT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: front, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: front}}
  template:
    metadata: {labels: {app: front}}
    spec:
      containers: [{name: hello, image: "nodewright.lab/hello:v1", imagePullPolicy: IfNotPresent}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: front, namespace: default}
spec: {minAvailable: 1, selector: {matchLabels: {app: front}}}
"""


@pytest.fixture(scope="module")
def cluster(lab: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OperatedCluster]:
    made = OperatedCluster(tmp_path_factory.mktemp("operations"))
    try:
        done(made.run("create", "--yes"))
        yield made
    finally:
        made.run("destroy", "--yes", "--wait")


def done(run: Run, outcome: str = "done") -> Run:
    assert run.code == Exit.DONE, f"{run.last.get('text')}\n{run.errors}"
    assert run.last["outcome"] == outcome, run.last
    return run


def unchanged(run: Run) -> None:
    done(run, "unchanged")


def as_foretold(run: Run) -> None:
    """Compare what the ticket said of each machine with what was done."""
    foretold = {node["node"]: node["action"] for node in run.ticket["nodes"]}
    assert run.actions() == foretold


def ours(cloud: openstack.connection.Connection) -> list[str]:
    servers = cloud.compute.servers(details=True)
    return sorted(server.name for server in servers if server.metadata.get(CLUSTER) == STACK)


def wait_for(what: str, true: Callable[[], bool], timeout_s: float = 180) -> None:
    deadline = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < deadline, f"{what}: not within {timeout_s} s"
        time.sleep(2)


def test_a_second_create_changes_nothing(cluster: OperatedCluster) -> None:
    unchanged(cluster.run("create", "--yes"))
    assert cluster.run("status").last["healthy"]


def test_scaling_out_adds_one_machine(cluster: OperatedCluster) -> None:
    planned = cluster.run("scale", "worker", "2", "--dry-run")
    assert planned.last["outcome"] == "planned"
    assert "count: 1" in cluster.file.read_text(encoding="utf-8")
    scaled = done(cluster.run("scale", "worker", "2", "--yes"))
    as_foretold(scaled)
    assert scaled.actions()["worker-1"] == "added"
    unchanged(cluster.run("scale", "worker", "2", "--yes"))
    assert cluster.live().nodes["worker-1"].ready


def test_a_heal_moves_the_pods_that_its_ticket_named(cluster: OperatedCluster) -> None:
    cluster.apply(FRONT)
    wait_for("two pods of front", lambda: len([p for p in cluster.live().pods if p.labels.get("app") == "front"]) == 2)
    before = {pod.full_name for pod in cluster.live().pods if pod.node == "worker-1"}
    address = cluster.live().nodes["worker-1"].address
    healed = done(cluster.run("heal", "worker-1", "--yes"))
    as_foretold(healed)
    (node,) = (node for node in healed.ticket["nodes"] if node["node"] == "worker-1")
    assert set(node["pods"]) == before
    assert before.isdisjoint({pod.full_name for pod in cluster.live().pods})
    assert cluster.live().nodes["worker-1"].address == address
    unchanged(cluster.run("heal", "worker-1", "--number", "1", "--yes"))


@pytest.mark.parametrize("phase", ["delete machine", "make machine", "join"])
def test_after_a_kill_the_same_call_goes_on_and_leaves_no_orphan(
    cluster: OperatedCluster, cloud: openstack.connection.Connection, phase: str
) -> None:
    cluster.kill_in_the_middle(phase, "heal", "worker-0", "--yes")
    seen = cluster.run("status")
    assert seen.last["interrupted"], seen.last
    again = done(cluster.run("heal", "worker-0", "--yes"))
    assert any("removed the lock" in line for line in again.last["repairs"])
    assert ours(cloud) == ["control-plane-0", "load-balancer", "worker-0", "worker-1"]
    unchanged(cluster.run("create", "--yes"))


def test_a_dead_machine_is_found_and_the_proposed_command_mends_it(
    cluster: OperatedCluster, cloud: openstack.connection.Connection
) -> None:
    server = next(
        s for s in cloud.compute.servers(details=True) if s.name == "worker-1" and s.metadata.get(CLUSTER) == STACK
    )
    cloud.compute.delete_server(server)
    cloud.compute.wait_for_delete(server)
    seen = cluster.run("status")
    assert seen.code == Exit.FAILED
    (proposal,) = seen.last["proposals"]
    assert proposal["command"] == "nodewright heal worker-1"
    done(cluster.run("heal", "worker-1", "--yes"))
    assert cluster.run("status").last["healthy"]


def test_the_chosen_machine_goes_and_nobody_is_renamed(cluster: OperatedCluster) -> None:
    removed = done(cluster.run("scale", "worker", "--remove", "worker-0", "--yes"))
    as_foretold(removed)
    assert set(cluster.live().nodes) == {"control-plane-0", "worker-1"}
    unchanged(cluster.run("scale", "worker", "--remove", "worker-0", "--yes"))


def test_after_destroy_nothing_is_left(
    cluster: OperatedCluster, cloud: openstack.connection.Connection, tmp_path: Path
) -> None:
    done(cluster.run("destroy", "--yes"))
    assert ours(cloud) == []
    assert [network.name for network in cloud.network.networks(name=STACK)] == []
    unchanged(cluster.run("destroy", "--yes"))
