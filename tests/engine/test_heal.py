"""A healed machine is a new one in the same place; nobody else notices."""

import pytest

from tests.engine.clusters import cluster
from tests.engine.harness import Stack

pytestmark = pytest.mark.engine

OF_A_WORKER = {"worker-1", "worker-1-ready", "worker-1-prepare", "worker-1-ticket", "worker-1-join", "worker-1-member"}


def test_a_healed_worker_leaves_goes_and_comes_back_and_nothing_else_is_touched(stack: Stack) -> None:
    stack.stands(cluster())

    healed = stack.up(cluster(workers={"heal": {"worker-1": 1}}))

    assert healed.ok, healed.output
    assert healed.in_order(
        "delete worker-1-member",
        "delete Instance worker-1",
        "create Instance worker-1",
        "create worker-1-ready",
        "create worker-1-prepare",
        "create worker-1-ticket",
        "create worker-1-join",
        "create worker-1-member",
    )
    assert healed.touched() == OF_A_WORKER
    assert "delete Port worker-1" not in healed.steps
    assert stack.up(cluster(workers={"heal": {"worker-1": 1}})).steps == []


def test_a_leave_runs_on_the_steward_and_never_on_the_machine_that_goes(stack: Stack) -> None:
    stack.stands(cluster(count=3))
    steward = stack.outputs()["nodes"]["control-plane-0"]["address"]

    healed = stack.up(cluster(count=3, workers={"heal": {"worker-1": 1}}))

    assert healed.find("delete worker-1-member").inputs["connection"]["host"] == steward


@pytest.mark.parametrize("key", ["control-plane-0", "control-plane-1", "control-plane-2"])
def test_any_master_of_three_is_healed_through_a_peer(stack: Stack, key: str) -> None:
    stack.stands(cluster(count=3))
    addresses = {name: node["address"] for name, node in stack.outputs()["nodes"].items()}

    healed = stack.up(cluster(count=3, control_plane={"heal": {key: 1}}))

    assert healed.ok, healed.output
    assert healed.in_order(
        f"delete {key}-member",
        f"delete Instance {key}",
        f"create Instance {key}",
        f"create {key}-state-mount",
        f"create {key}-ticket",
        f"create {key}-join",
        f"create {key}-member",
    )
    # The steward of the others keeps their drain settings, so a new one is told them.
    others = {name for name in healed.touched() if not name.startswith(key)}
    assert others == ({"control-plane-drain-settings"} if key == "control-plane-0" else set())
    for step in (f"delete {key}-member", f"create {key}-ticket", f"create {key}-member"):
        assert healed.find(step).inputs["connection"]["host"] != addresses[key]


def test_the_only_master_comes_back_from_its_volume_without_a_leave(stack: Stack) -> None:
    stack.stands(cluster())

    healed = stack.up(cluster(control_plane={"heal": {"control-plane-0": 1}}))

    assert healed.ok, healed.output
    assert healed.in_order(
        "delete Instance control-plane-0",
        "create Instance control-plane-0",
        "create control-plane-0-state-mount",
        "create control-plane-0-restore",
        "create control-plane-0-member",
    )
    assert "delete control-plane-0-member" not in healed.steps
    assert "control-plane-init" not in healed.touched()
    assert not any(name.startswith("worker") for name in healed.touched())
    assert not any("Volume" in step for step in healed.steps)


def test_a_healed_load_balancer_keeps_its_addresses(stack: Stack) -> None:
    stack.stands(cluster())

    healed = stack.up(cluster(load_balancer={**cluster()["load-balancer"], "heal": {"load-balancer": 1}}))

    assert healed.in_order(
        "delete Instance load-balancer", "create Instance load-balancer", "create load-balancer-configure"
    )
    assert not any("FloatingIp" in step or "Port" in step for step in healed.steps)
    assert not any(name.startswith(("worker", "control-plane")) for name in healed.touched())


def test_a_leave_that_fails_stops_before_the_machine_goes_and_the_next_up_goes_on(stack: Stack) -> None:
    stack.stands(cluster())
    wished = cluster(workers={"heal": {"worker-1": 1}})

    stack.break_steps("delete worker-1-member")
    failed = stack.up(wished)

    assert not failed.ok
    assert "delete worker-1-member: made to fail" in failed.output
    assert "delete Instance worker-1" not in failed.steps

    stack.break_steps()
    mended = stack.up(wished)

    assert mended.ok, mended.output
    assert mended.in_order("delete worker-1-member", "delete Instance worker-1", "create worker-1-member")


def test_a_healed_machine_is_made_of_the_image_of_today(stack: Stack) -> None:
    stack.stands(cluster())
    new_image = {"image": "node-of-today"}

    assert stack.up(cluster(workers=new_image)).steps == []

    healed = stack.up(cluster(workers={**new_image, "heal": {"worker-1": 1}}))

    assert healed.find("create Instance worker-1").inputs["imageId"] == "node-of-today-id"
    assert healed.touched() == OF_A_WORKER
