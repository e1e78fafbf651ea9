"""Make the ticket. Pure: the engine's steps, the plan, what the stack exported and what runs now go in."""

from collections.abc import Iterable, Sequence

from cluster.plan import Change, ClusterPlan, NodePlan, Role
from lifecycle.exports import Exports, NodeExport
from lifecycle.live import Live, LivePod
from lifecycle.situation import Situation
from lifecycle.steps import COMMAND, PORT, SERVER, VOLUME, Action, ResourceChange, Step, fold, node_of
from lifecycle.ticket.dangers import find_dangers, left_behind
from lifecycle.ticket.model import Behind, Danger, Level, NodeChange, OtherChange, Quorum, Ticket

LEAVES = frozenset({Action.REPLACED, Action.REMOVED})


def ticket(stack: str, steps: Iterable[Step], situation: Situation, edits: Sequence[str] = ()) -> Ticket:
    """Say what these steps mean."""
    plan, exports = situation.plan, situation.exports
    changes = [change for change in fold(steps) if not change.is_silent]
    moving = [change for change in changes if change.action not in {Action.KEPT, Action.READ}]
    keys = {*exports.nodes, *(node.key for node in plan.nodes)}
    nodes = tuple(
        _node_change(key, [change for change in changes if node_of(change.name, keys) == key], situation)
        for key in _in_order(keys, plan)
        if any(node_of(change.name, keys) == key for change in moving)
    )
    quorum = _quorum(nodes, situation)
    touched = {node.node for node in nodes}
    return Ticket(
        stack=stack,
        cluster=situation.settings.name,
        dangers=find_dangers(situation, nodes, moving, quorum),
        nodes=nodes,
        others=_others(moving, keys),
        untouched=tuple(key for key in _in_order(set(exports.nodes), plan) if key not in touched),
        behind=tuple(_behind(plan)),
        quorum=quorum,
        edits=tuple(edits),
        unknown=situation.live.unknown,
    )


def destruction(stack: str, steps: Iterable[Step], exports: Exports) -> Ticket:
    """Say what goes when the whole cluster goes: no rule but one applies to that."""
    changes = [change for change in fold(steps) if not change.is_silent and change.action is Action.REMOVED]
    servers = {change.name for change in changes if change.type == SERVER}
    volumes = [change for change in changes if change.type == VOLUME]
    lost = sorted(change.name for change in volumes if not change.retained)
    left = sorted(change.name for change in volumes if change.retained)
    data = f", with all data on {', '.join(lost)}" if lost else ""
    data += f"; what stays in the cloud: {'; '.join(left_behind(name, exports) for name in left)}" if left else ""
    masters = sum(1 for node in exports.nodes.values() if node.role == Role.CONTROL_PLANE.value)
    return Ticket(
        stack=stack,
        cluster=exports.name or stack,
        dangers=(Danger(level=Level.WARNING, rule="destroy", text=f"the whole cluster goes{data}"),) if changes else (),
        nodes=tuple(
            NodeChange(
                node=name, role=_role(name, exports), pool=_pool(name, exports), action=Action.REMOVED, reasons=()
            )
            for name in sorted(servers)
        ),
        others=_others(changes, servers),
        untouched=(),
        behind=(),
        quorum=Quorum(before=masters, after=0, lowest=0, needed=0, ready=None),
    )


def _in_order(keys: set[str], plan: ClusterPlan) -> list[str]:
    """Machines that leave first, then the others as the plan has them."""
    planned = [node.key for node in plan.nodes]
    return [*sorted(keys.difference(planned)), *(key for key in planned if key in keys)]


def _node_change(key: str, changes: list[ResourceChange], situation: Situation) -> NodeChange:
    plan, live = situation.plan, situation.live
    planned = next((node for node in plan.nodes if node.key == key), None)
    before = situation.exports.nodes.get(key)
    action = _action(changes)
    pods = [pod for pod in live.pods if pod.node == key] if action in LEAVES else []
    role, pool = _role_and_pool(planned, before)
    return NodeChange(
        node=key,
        role=role,
        pool=pool,
        action=action,
        reasons=tuple(_reasons(action, planned, before, changes)),
        keeps=tuple(_keeps(action, changes)),
        parts=tuple(_parts(key, changes)) if action is Action.UPDATED else (),
        pods=None if live.unknown else tuple(pod.full_name for pod in pods),
        local_data=tuple(pod.full_name for pod in pods if pod.local_data),
        unmanaged=tuple(pod.full_name for pod in pods if not pod.managed),
        budgets=tuple(_budgets(pods, live)),
        after=planned.after if planned else (),
    )


def _role_and_pool(planned: NodePlan | None, before: NodeExport | None) -> tuple[str, str]:
    if planned:
        return planned.role.value, planned.pool
    return (before.role, before.pool) if before else ("", "")


def _action(changes: list[ResourceChange]) -> Action:
    """What happens to the machine is what happens to its server."""
    server = next((change.action for change in changes if change.type == SERVER), None)
    if server is None:
        # A server that is gone from the state already, as after a replacement that was cut short.
        return Action.REMOVED if all(change.action is Action.REMOVED for change in changes) else Action.UPDATED
    return Action.UPDATED if server in {Action.KEPT, Action.READ} else server


def _reasons(
    action: Action, planned: NodePlan | None, before: NodeExport | None, changes: list[ResourceChange]
) -> Iterable[str]:
    if action is Action.ADDED:
        yield "asked for again after a replacement that was not finished" if before else "new"
        return
    if action is Action.REMOVED:
        yield "the stack no longer asks for it"
        return
    if action is Action.UPDATED or planned is None or before is None:
        return
    generations = planned.generations
    numbers = (
        ("heal", before.heal, generations.heal),
        ("generation", before.cluster_generation, generations.cluster),
        ("pool's generation", before.pool_generation, generations.pool),
        ("Kubernetes", before.kubernetes_version, planned.kubernetes_version if planned.role.is_node else None),
        ("image", before.image, planned.made_from.image),
        ("flavor", before.flavor, planned.made_from.flavor),
    )
    yield from (f"{what} {old} → {new}" for what, old, new in numbers if old != new)
    if planned.change is Change.KEPT:
        server = next(change for change in changes if change.type == SERVER)
        yield f"nobody asked for it; changed: {', '.join(server.changed) or 'unknown'}"


def _keeps(action: Action, changes: list[ResourceChange]) -> Iterable[str]:
    """What outlives the replacement of the machine."""
    if action is not Action.REPLACED:
        return
    stay = {Action.KEPT, Action.UPDATED}
    if any(change.type == PORT and change.action in stay for change in changes):
        yield "address"
    yield from (f"volume {change.name}" for change in changes if change.type == VOLUME and change.action in stay)


def _parts(key: str, changes: list[ResourceChange]) -> Iterable[str]:
    for change in changes:
        if change.action not in {Action.KEPT, Action.READ}:
            part = change.name.removeprefix(key).removeprefix("-") or change.type.rpartition(":")[2]
            yield part if change.type == COMMAND else f"{part} {change.action.value}"


def _budgets(pods: list[LivePod], live: Live) -> Iterable[str]:
    for budget in live.budgets:
        covered = sum(1 for pod in pods if budget.covers(pod))
        if covered and budget.allowed < covered:
            yield (
                f"{budget.namespace}/{budget.name} lets {budget.allowed} of {covered} go now "
                f"({budget.healthy} healthy, {budget.wanted} wanted)"
            )


def _quorum(nodes: tuple[NodeChange, ...], situation: Situation) -> Quorum:
    plan, exports, live = situation.plan, situation.exports, situation.live
    before = sum(1 for node in exports.nodes.values() if node.role == "control-plane")
    after = len(plan.control_planes)
    replaced = any(node.role == "control-plane" and node.action is Action.REPLACED for node in nodes)
    lowest = min(before or after, after) - (1 if replaced else 0)
    return Quorum(
        before=before,
        after=after,
        lowest=lowest,
        needed=(before or after) // 2 + 1,
        ready=None if live.unknown else live.etcd_ready,
    )


def _behind(plan: ClusterPlan) -> Iterable[Behind]:
    for node in plan.nodes:
        if node.made_from.image != node.image:
            yield Behind(node=node.key, what="image", runs=node.made_from.image, wished=node.image)
        if node.made_from.flavor != node.flavor:
            yield Behind(node=node.key, what="flavor", runs=node.made_from.flavor, wished=node.flavor)


def _role(node: str, exports: Exports) -> str:
    return exports.nodes[node].role if node in exports.nodes else ""


def _pool(node: str, exports: Exports) -> str:
    return exports.nodes[node].pool if node in exports.nodes else ""


def _others(changes: Iterable[ResourceChange], nodes: set[str]) -> tuple[OtherChange, ...]:
    """What belongs to no machine, in an order of its own: the engine's differs from run to run."""
    others = [
        OtherChange(name=change.name, kind=change.type.rpartition(":")[2], action=change.action)
        for change in changes
        if node_of(change.name, nodes) is None
    ]
    return tuple(sorted(others, key=lambda other: (other.kind, other.name)))
