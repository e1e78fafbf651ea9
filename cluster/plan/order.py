"""Whom each machine waits for: load balancer, then masters one by one, then workers a few at a time."""

from dataclasses import replace

from cluster.plan.model import Change, NodePlan, Role
from cluster.previous import Previous
from cluster.settings import ClusterSettings


def order(nodes: tuple[NodePlan, ...], settings: ClusterSettings, previous: Previous) -> tuple[NodePlan, ...]:
    """Give every machine the keys it waits for; on a first `up` everything happens at once."""
    after = {**_replacements(nodes, settings), **_additions(nodes, settings, previous)}
    return tuple(replace(node, after=after.get(node.key, ())) for node in nodes)


def _replacements(nodes: tuple[NodePlan, ...], settings: ClusterSettings) -> dict[str, tuple[str, ...]]:
    """Chain the machines that are replaced."""
    replaced = [node for node in nodes if node.change is Change.REPLACED]
    first = tuple(node.key for node in replaced if node.role is Role.LOAD_BALANCER)
    after: dict[str, tuple[str, ...]] = {}
    for node in (node for node in replaced if node.role is Role.CONTROL_PLANE):
        after[node.key] = first
        first = (node.key,)
    for name, pool in settings.workers.items():
        keys = [node.key for node in replaced if node.role is Role.WORKER and node.pool == name]
        for position, key in enumerate(keys):
            turn = position - pool.max_unavailable
            after[key] = (keys[turn],) if turn >= 0 else first
    return after


def _additions(
    nodes: tuple[NodePlan, ...], settings: ClusterSettings, previous: Previous
) -> dict[str, tuple[str, ...]]:
    """Let new workers join a few at a time, and after the masters when those go to another version.

    A kubelet may not be newer than the API server it talks to.
    """
    new = [node.key for node in nodes if node.change is Change.NEW and node.role is Role.WORKER]
    masters = [node.key for node in nodes if node.change is Change.REPLACED and node.role is Role.CONTROL_PLANE]
    upgrade = previous.kubernetes_version not in {None, settings.kubernetes.version}
    first = (masters[-1],) if upgrade and masters else ()
    window = settings.parallel.joins
    return {key: (new[place - window],) if place >= window else first for place, key in enumerate(new)}
