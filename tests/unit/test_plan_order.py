"""The order of replacement: nobody is missing beside somebody it should not be missing with."""

from typing import Any

import pytest

from cluster.plan import Change, ClusterPlan, Role
from tests.examples import after_up, ha, planned, raw


def after(plan: ClusterPlan) -> dict[str, tuple[str, ...]]:
    return {node.key: node.after for node in plan.nodes if node.after}


def most_at_once(plan: ClusterPlan, role: Role) -> int:
    """Play the replacement through: everything that waits for nobody starts, and all that started ends together."""
    replaced = {node.key: node for node in plan.nodes if node.change is Change.REPLACED}
    finished: set[str] = set()
    most = 0
    while len(finished) < len(replaced):
        running = [key for key, node in replaced.items() if key not in finished and set(node.after) <= finished]
        assert running, "somebody waits for ever"
        most = max(most, sum(1 for key in running if replaced[key].role is role))
        finished |= set(running)
    return most


def test_on_a_first_up_nobody_waits() -> None:
    assert after(planned(ha())) == {}


def test_an_upgrade_goes_master_by_master_then_worker_by_worker() -> None:
    plan = planned(ha({"kubernetes.version": "1.34.5"}), after_up(ha()))
    assert after(plan) == {
        "control-plane-1": ("control-plane-0",),
        "control-plane-2": ("control-plane-1",),
        "worker-0": ("control-plane-2",),
        "worker-1": ("worker-0",),
    }


def test_a_roll_of_everything_begins_with_the_load_balancer() -> None:
    plan = planned(raw({"generation": 1}), after_up(raw()))
    assert after(plan) == {
        "control-plane-0": ("load-balancer",),
        "worker-0": ("control-plane-0",),
        "worker-1": ("worker-0",),
    }


def test_the_heal_of_one_machine_waits_for_nobody() -> None:
    assert after(planned(raw({"workers.worker.heal": {"worker-1": 1}}), after_up(raw()))) == {}


@pytest.mark.parametrize("at_once", [1, 2, 3, 5])
def test_no_more_workers_than_allowed_are_replaced_at_once(at_once: int) -> None:
    pool: dict[str, Any] = {"workers.worker.count": 7, "workers.worker.max-unavailable": at_once}
    plan = planned(ha({**pool, "generation": 1}), after_up(ha(pool)))
    assert most_at_once(plan, Role.WORKER) == at_once
    assert most_at_once(plan, Role.CONTROL_PLANE) == 1


def test_new_machines_do_not_wait_for_a_roll_of_the_same_version() -> None:
    plan = planned(raw({"workers.worker.count": 3, "generation": 1}), after_up(raw()))
    assert plan.node("worker-2").after == ()


def test_new_workers_of_a_newer_version_wait_for_the_masters() -> None:
    """A kubelet may not be newer than the API server it talks to."""
    plan = planned(ha({"workers.worker.count": 3, "kubernetes.version": "1.35.0"}), after_up(ha()))
    assert plan.node("worker-2").after == ("control-plane-2",)


def test_new_workers_join_in_a_window() -> None:
    plan = planned(raw({"workers.worker.count": 5, "parallel.joins": 2}))
    assert [node.after for node in plan.workers] == [(), (), ("worker-0",), ("worker-1",), ("worker-2",)]
