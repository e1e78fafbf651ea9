"""An upgrade replaces every node, a few at a time, masters first, and stops at the first that fails."""

import pytest

from tests.engine.clusters import cluster
from tests.engine.harness import Run, Stack

pytestmark = pytest.mark.engine

NEW = {"version": "1.34.5"}


def away(run: Run, *keys: str) -> int:
    """Count how many of these nodes were out of service at once."""
    return run.most_at_once({key: (f"delete {key}-member", f"create {key}-member") for key in keys})


def test_masters_are_replaced_one_by_one_and_before_workers(stack: Stack) -> None:
    masters = [f"control-plane-{index}" for index in range(3)]
    workers = [f"worker-{index}" for index in range(3)]
    stack.stands(cluster(count=3, workers={"count": 3}))

    rolled = stack.up(cluster(count=3, workers={"count": 3}, kubernetes=NEW))

    assert rolled.ok, rolled.output
    assert away(rolled, *masters) == 1
    assert away(rolled, *workers) == 1
    assert rolled.in_order("create control-plane-2-member", "update control-plane-addons", "delete worker-0-member")
    assert "control-plane-init" not in rolled.touched()
    assert "Instance load-balancer" not in " ".join(rolled.steps)
    assert stack.up(cluster(count=3, workers={"count": 3}, kubernetes=NEW)).steps == []


def test_no_more_workers_than_allowed_are_away_at_once(stack: Stack) -> None:
    pool = {"count": 4, "max-unavailable": 2}
    stack.stands(cluster(workers=pool))

    stack.let_meet({r"delete worker-\d-member": 2})
    rolled = stack.up(cluster(workers={**pool, "generation": 1}))

    assert rolled.ok, rolled.output
    assert away(rolled, *(f"worker-{index}" for index in range(4))) == 2


def test_a_roll_stops_at_the_first_node_that_fails_and_goes_on_there(stack: Stack) -> None:
    stack.stands(cluster(workers={"count": 3}))
    wished = cluster(workers={"count": 3, "generation": 1})

    stack.break_steps("create worker-1-join")
    failed = stack.up(wished)

    assert not failed.ok
    assert "worker-2" not in {name.removesuffix("-member") for name in failed.touched()}

    stack.break_steps()
    mended = stack.up(wished)

    assert mended.ok, mended.output
    assert "delete Instance worker-0" not in mended.steps
    assert "delete Instance worker-1" not in mended.steps
    assert mended.in_order("create worker-1-member", "delete worker-2-member")


def test_the_whole_cluster_is_replaced_by_one_number(stack: Stack) -> None:
    stack.stands(cluster(count=3))

    rolled = stack.up(cluster(count=3, generation=1))

    assert rolled.ok, rolled.output
    nodes = stack.outputs()["nodes"]
    assert all(f"delete Instance {key}" in rolled.steps for key in nodes)
    assert rolled.in_order("create load-balancer-configure", "delete control-plane-0-member")
    assert not any("Port" in step or "Volume" in step for step in rolled.steps)
