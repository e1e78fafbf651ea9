"""Pools grow and shrink; who stays is left in peace."""

import pytest

from tests.engine.clusters import cluster
from tests.engine.harness import Stack

pytestmark = pytest.mark.engine


def test_scaling_out_touches_only_the_new_worker_and_the_load_balancer(stack: Stack) -> None:
    stack.stands(cluster())

    grown = stack.up(cluster(workers={"count": 3}))

    assert grown.ok, grown.output
    assert grown.in_order("create Port worker-2", "update load-balancer-configure")
    assert grown.in_order("create Instance worker-2", "create worker-2-join", "create worker-2-member")
    assert {name for name in grown.touched() if not name.startswith("worker-2")} == {"load-balancer-configure"}


def test_scaling_in_empties_the_load_balancer_then_drains_then_deletes(stack: Stack) -> None:
    stack.stands(cluster(workers={"count": 3}))

    shrunk = stack.up(cluster(workers={"count": 2}))

    assert shrunk.ok, shrunk.output
    assert shrunk.in_order(
        "update load-balancer-configure",
        "delete worker-2-member",
        "delete Instance worker-2",
        "delete Port worker-2",
    )
    assert {name for name in shrunk.touched() if not name.startswith("worker-2")} == {"load-balancer-configure"}


def test_a_chosen_worker_goes_and_nobody_is_renamed(stack: Stack) -> None:
    stack.stands(cluster(workers={"count": 3}))

    shrunk = stack.up(cluster(workers={"count": 2, "without": ["worker-1"]}))

    assert shrunk.ok, shrunk.output
    assert {name for name in shrunk.touched() if not name.startswith("worker-1")} == {"load-balancer-configure"}
    assert sorted(stack.outputs()["nodes"]) == ["control-plane-0", "load-balancer", "worker-0", "worker-2"]
    assert stack.up(cluster(workers={"count": 2, "without": ["worker-1"]})).steps == []


def test_no_more_workers_than_allowed_are_drained_at_once(stack: Stack) -> None:
    stack.stands(cluster(workers={"count": 6}, parallel={"leaves": 2}))

    stack.let_meet({r"delete worker-\d-member": 2})
    shrunk = stack.up(cluster(workers={"count": 0}, parallel={"leaves": 2}))

    assert shrunk.ok, shrunk.output
    leaves = {step: (step, step) for key in range(6) for step in [f"delete worker-{key}-member"]}
    assert shrunk.most_at_once(leaves) == 2


def test_a_leave_that_fails_keeps_the_machine_and_the_next_up_goes_on(stack: Stack) -> None:
    stack.stands(cluster(workers={"count": 3}))

    stack.break_steps("delete worker-2-member")
    failed = stack.up(cluster())

    assert not failed.ok
    assert "delete Instance worker-2" not in failed.steps

    stack.break_steps()
    mended = stack.up(cluster())

    assert mended.ok, mended.output
    assert mended.in_order("delete worker-2-member", "delete Instance worker-2", "delete Port worker-2")


def test_a_control_plane_of_one_grows_to_three(stack: Stack) -> None:
    stack.stands(cluster())

    grown = stack.up(cluster(count=3))

    assert grown.ok, grown.output
    assert grown.in_order(
        "create control-plane-1-join",
        "create control-plane-1-member",
        "create control-plane-2-ticket",
        "create control-plane-2-join",
        "create control-plane-2-member",
    )
    assert grown.in_order(
        "create control-plane-1-member", "create control-plane-0-ticket", "create control-plane-0-join"
    )
    assert "control-plane-init" not in grown.touched()
    assert [name for name in grown.touched() if name.startswith("worker")] == []
    assert stack.up(cluster(count=3)).steps == []


def test_settings_of_nodes_change_in_place(stack: Stack) -> None:
    stack.stands(cluster())

    labelled = stack.up(cluster(workers={"labels": {"disk": "fast"}}))

    assert labelled.ok, labelled.output
    assert sorted(labelled.steps) == ["update worker-0-member", "update worker-1-member"]


def test_a_leave_follows_the_drain_settings_of_today(stack: Stack) -> None:
    stack.stands(cluster(workers={"count": 3}))
    stack.break_steps("delete worker-2-member")
    assert not stack.up(cluster()).ok

    stack.break_steps()
    shrunk = stack.up(cluster(workers={"drain": {"policy": "force"}}))
    healed = stack.up(cluster(workers={"drain": {"policy": "skip"}, "heal": {"worker-1": 1}}))

    assert shrunk.in_order("update control-plane-drain-settings", "delete worker-2-member")
    assert healed.in_order("update control-plane-drain-settings", "delete worker-1-member")
