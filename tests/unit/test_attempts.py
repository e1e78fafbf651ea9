"""Tickets are taken anew with every try, until the node is in."""

from cluster.engine_state import attempts
from tests.examples import after_up, planned, raw


def test_a_node_that_is_in_keeps_the_try_it_came_in_with() -> None:
    plan = planned(raw(), after_up(raw()))
    assert attempts(plan, {"attempts": {"worker-0": "7"}}, now=100)["worker-0"] == "7"


def test_a_node_whose_up_failed_gets_another_try() -> None:
    plan = planned(raw())
    assert attempts(plan, {}, now=100)["worker-0"] != attempts(plan, {}, now=101)["worker-0"]


def test_a_healed_node_gets_another_try() -> None:
    plan = planned(raw({"workers.worker.heal": {"worker-0": 1}}), after_up(raw()))
    tries = attempts(plan, {"attempts": {"worker-0": "7", "worker-1": "7"}}, now=100)
    assert (tries["worker-0"], tries["worker-1"]) == ("100", "7")


def test_machines_that_are_no_nodes_take_no_tickets() -> None:
    assert "load-balancer" not in attempts(planned(raw()), {}, now=100)
