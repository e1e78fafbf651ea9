"""The end of a cluster: nobody is drained into nowhere, nothing is left."""

import json

import pytest

from tests.engine.clusters import cluster
from tests.engine.harness import Stack

pytestmark = pytest.mark.engine


@pytest.mark.parametrize("count", [1, 3])
def test_destroying_drains_nobody_and_leaves_nothing(stack: Stack, count: int) -> None:
    stack.stands(cluster(count=count))

    destroyed = stack.destroy()

    assert destroyed.ok, destroyed.output
    assert not [step for step in destroyed.steps if step.endswith("-member")]
    assert "resources" not in json.loads(stack.state())["deployment"]


def test_a_cluster_that_never_came_up_is_destroyed_all_the_same(stack: Stack) -> None:
    stack.break_steps("create control-plane-init", "create Instance worker-1")
    assert not stack.up(cluster()).ok

    stack.break_steps()
    destroyed = stack.destroy()

    assert destroyed.ok, destroyed.output
    assert "resources" not in json.loads(stack.state())["deployment"]


def test_floating_ips_go_before_the_router_that_leads_to_them(stack: Stack) -> None:
    stack.stands(cluster())

    destroyed = stack.destroy()

    assert destroyed.in_order(
        "delete FloatingIp load-balancer", "delete RouterInterface network", "delete Router network"
    )
