"""What the stack exported last time is read back, however little of it there is."""

from typing import Any

import pytest

from cluster.outputs import NodeOutputs, node_export
from cluster.previous import NOTHING, Previous, parse
from tests.examples import planned, raw


@pytest.mark.parametrize(
    "outputs", [None, {}, {"nodes": None}, {"nodes": ["a"]}, {"birth": 3}, {"kubernetes-version": "new"}]
)
def test_absent_or_strange_exports_count_as_never_exported(outputs: dict[str, Any] | None) -> None:
    assert parse(outputs) == NOTHING
    assert not Previous().exists


def test_a_node_that_says_too_little_is_left_out() -> None:
    node = {"role": "worker", "pool": "worker", "incarnation": "x"}
    assert set(parse({"nodes": {"worker-0": node, "worker-1": {"role": "worker"}, "worker-2": None}}).nodes) == {
        "worker-0"
    }


def test_what_is_exported_is_read_back() -> None:
    node = planned(raw({"generation": 2, "workers.worker.heal": {"worker-1": 3}})).node("worker-1")
    exported = node_export(node, NodeOutputs(address="10.20.0.5", server_id="abc"))
    exported["generations"] = {key: float(value) for key, value in exported["generations"].items()}
    before = parse({"nodes": {"worker-1": exported}}).nodes["worker-1"]
    assert (before.cluster_generation, before.pool_generation, before.heal) == (2, 0, 3)
    assert (before.role, before.pool, before.incarnation) == ("worker", "worker", node.incarnation)
    assert (before.image, before.flavor, before.availability_zone) == ("node", "m1.medium", None)
