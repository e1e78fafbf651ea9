"""The rules that a change is held to before it happens. Each has a name, by which a person can accept it.

They are the stack's policy. They live here and not in a policy pack because half of them compare with what runs now.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from cluster.plan import Change, ClusterPlan, Role
from cluster.settings import ClusterSettings, ControlPlaneSettings, DrainPolicy, Spread, WorkerPoolSettings
from cluster.settings.network import EVERYWHERE
from lifecycle.exports import Exports
from lifecycle.live import Live
from lifecycle.situation import Situation
from lifecycle.steps import COMMAND, PORT, SECURITY_RULE, VOLUME, Action, ResourceChange
from lifecycle.ticket.model import Danger, Level, NodeChange, Quorum

AWAY = {
    Role.LOAD_BALANCER.value: "nobody outside reaches the API and services",
    Role.STORAGE.value: "pods wait for their files",
    Role.REGISTRY.value: "no image can be pulled from the cluster's registry",
}
LEAVES = frozenset({Action.REPLACED, Action.REMOVED})


def find_dangers(
    situation: Situation, nodes: Sequence[NodeChange], changes: Sequence[ResourceChange], quorum: Quorum
) -> tuple[Danger, ...]:
    """Find everything a person should know first; what forbids the change is on top."""
    settings, plan = situation.settings, situation.plan
    found = [
        *_quorum(situation.live, nodes, quorum),
        *_data(situation.exports, nodes, changes),
        *_unasked(situation, nodes, changes),
        *_unavailable(settings, nodes),
        *_drains(plan, settings, nodes),
        *_addresses(nodes, changes),
        *_front(nodes),
        *_everything(situation.exports, nodes),
        *_open_to_all(settings, changes),
        *_spread(settings, nodes),
    ]
    return tuple(sorted(found, key=lambda danger: danger.level is not Level.STOP))


def left_behind(volume: str, exports: Exports) -> str:
    """Name a volume that stays, with the ways to take it over and to remove it."""
    volume_id = ((exports.raw.get("volumes") or {}).get(volume) or {}).get("id")
    if not volume_id:
        return f"volume {volume}"
    return (
        f"volume {volume}, {volume_id} (a stack takes it over with `adopt: {volume_id}`, "
        f"`openstack volume delete {volume_id}` removes it)"
    )


def _stop(rule: str, text: str) -> Danger:
    return Danger(level=Level.STOP, rule=rule, text=text)


def _warn(rule: str, text: str) -> Danger:
    return Danger(level=Level.WARNING, rule=rule, text=text)


def _quorum(live: Live, nodes: Sequence[NodeChange], quorum: Quorum) -> Iterator[Danger]:
    masters = [node for node in nodes if node.role == Role.CONTROL_PLANE.value and node.action in LEAVES]
    if not masters:
        return
    if quorum.before == 1:
        yield _warn("api-down", f"the API is away while {masters[0].node} is replaced; workloads keep running")
        return
    if live.unknown:
        yield _warn("quorum", "the cluster did not answer, so nobody knows how many etcd members live")
        return
    for node in masters:
        alive = node.node in live.nodes and live.nodes[node.node].ready
        left = live.etcd_ready - (1 if alive else 0)
        if left < quorum.needed:
            yield _stop(
                "quorum",
                f"without {node.node} {left} of {quorum.before} etcd members are ready and {quorum.needed} are needed; "
                "mend another one first",
            )


def _data(exports: Exports, nodes: Sequence[NodeChange], changes: Sequence[ResourceChange]) -> Iterator[Danger]:
    for change in changes:
        if change.type == VOLUME and change.action in LEAVES and change.retained:
            volume = left_behind(change.name, exports)
            yield _warn("left-behind", f"the stack forgets what stays in the cloud: {volume}")
        elif change.type == VOLUME and change.action in LEAVES:
            yield _stop("data-volume", f"volume {change.name} would be deleted, with all that is on it")
    for node in nodes:
        if node.local_data:
            yield _warn("local-data", f"on {node.node} what lies in an emptyDir is lost: {', '.join(node.local_data)}")
        if node.unmanaged:
            yield _warn("unmanaged-pods", f"on {node.node} nothing makes anew: {', '.join(node.unmanaged)}")


def _unasked(situation: Situation, nodes: Sequence[NodeChange], changes: Sequence[ResourceChange]) -> Iterator[Danger]:
    kept = {node.key for node in situation.plan.nodes if node.change is Change.KEPT}
    # Of these the old machine, or its membership, went before: what looks like a replacement only brings it back.
    for node in (node for node in nodes if node.node not in situation.exports.unfinished):
        if node.action is Action.REPLACED and node.node in kept:
            yield _stop("unasked-replacement", f"{node.node} would be replaced although nothing asks for it")
        if node.action is Action.UPDATED and any(_leaves(change, node.node) for change in changes):
            yield _stop("leaves-and-joins", f"{node.node} would leave the cluster and join again without a new machine")


def _leaves(change: ResourceChange, node: str) -> bool:
    return change.type == COMMAND and change.name == f"{node}-member" and change.action is Action.REPLACED


def _unavailable(settings: ClusterSettings, nodes: Sequence[NodeChange]) -> Iterator[Danger]:
    replaced = Counter(node.pool for node in nodes if node.action is Action.REPLACED)
    for name, pool in settings.workers.items():
        firsts = sum(1 for n in nodes if n.pool == name and n.action is Action.REPLACED and not _waits(n, nodes))
        if replaced[name] and firsts > pool.max_unavailable:
            yield _stop(
                "max-unavailable",
                f"{firsts} machines of {name} would be replaced at once, {pool.max_unavailable} may be",
            )


def _waits(node: NodeChange, nodes: Sequence[NodeChange]) -> bool:
    """Tell whether the machine waits for another one of its pool."""
    return any(other.node in node.after and other.pool == node.pool for other in nodes)


def _drains(plan: ClusterPlan, settings: ClusterSettings, nodes: Sequence[NodeChange]) -> Iterator[Danger]:
    policies = {node.key: node.drain for node in plan.nodes}
    for node in nodes:
        pool = settings.workers.get(node.pool)
        drain = policies.get(node.node) or (pool.drain if pool and pool.drain else settings.drain)
        for budget in node.budgets:
            end = {
                DrainPolicy.FAIL: f"the drain waits up to {drain.timeout_s} s and then stops the operation",
                DrainPolicy.FORCE: f"after {drain.timeout_s} s its pods are deleted all the same",
                DrainPolicy.SKIP: "it is not waited for",
            }[drain.policy]
            yield _warn("budget", f"on {node.node} budget {budget}: {end}")


def _addresses(nodes: Sequence[NodeChange], changes: Sequence[ResourceChange]) -> Iterator[Danger]:
    staying = {node.node for node in nodes if node.action is not Action.REMOVED}
    for change in changes:
        if change.type == PORT and change.action in LEAVES and change.name in staying:
            yield _stop("address", f"{change.name} would get another address")


def _front(nodes: Sequence[NodeChange]) -> Iterator[Danger]:
    for node in nodes:
        if node.action is Action.REPLACED and node.role in AWAY:
            yield _warn("machine-away", f"{AWAY[node.role]} while {node.node} is replaced")


def _everything(exports: Exports, nodes: Sequence[NodeChange]) -> Iterator[Danger]:
    before = Counter(node.pool for node in exports.nodes.values() if node.is_node)
    removed = Counter(node.pool for node in nodes if node.action is Action.REMOVED)
    for pool, count in sorted(removed.items()):
        if count == before[pool]:
            yield _warn("empty-pool", f"no machine of {pool} is left")


def _open_to_all(settings: ClusterSettings, changes: Sequence[ResourceChange]) -> Iterator[Danger]:
    """Said when a door is made; it would be noise on every other change."""
    if not any(change.type == SECURITY_RULE and change.action is not Action.REMOVED for change in changes):
        return
    security = settings.security
    doors = (("open-ssh", "SSH", security.ssh_allowed_cidrs), ("open-api", "the API", security.api_allowed_cidrs))
    for rule, what, allowed in doors:
        if EVERYWHERE in allowed:
            yield _warn(rule, f"everyone may reach {what} (0.0.0.0/0)")
    if EVERYWHERE in security.node_port_allowed_cidrs:
        yield _warn("open-node-ports", "everyone may reach NodePorts on the workers (0.0.0.0/0)")


def _spread(settings: ClusterSettings, nodes: Iterable[NodeChange]) -> Iterator[Danger]:
    """Said when machines are made; it would be noise on every other change."""
    made = {node.pool for node in nodes if node.action in {Action.ADDED, Action.REPLACED}}
    pools: dict[str, ControlPlaneSettings | WorkerPoolSettings] = {
        Role.CONTROL_PLANE.value: settings.control_plane,
        **settings.workers,
    }
    for name, pool in pools.items():
        if name in made and pool.count > 1 and pool.spread is Spread.NONE and not pool.availability_zones:
            yield _warn("spread", f"{name} has {pool.count} machines that one host's failure may take together")
