"""Compare what is wished, recorded and real. Pure."""

from collections.abc import Iterable, Iterator

from cluster.plan import Change, NodePlan
from lifecycle import edits
from lifecycle.cloud import CloudView
from lifecycle.errors import LifecycleError
from lifecycle.exports import NodeExport
from lifecycle.live import Live
from lifecycle.situation import Situation
from lifecycle.status.model import NodeStatus, Proposal, Status

NO_NODE = "-"
RUNNING = "ACTIVE"
# The cloud is still at it.
UNDER_WAY = frozenset({"BUILD", "REBOOT", "HARD_REBOOT"})


def compare(stack: str, situation: Situation, cloud: CloudView, interrupted: Iterable[str]) -> Status:
    """Compare machine by machine; propose what mends."""
    exports = situation.exports
    planned = {node.key: node for node in situation.plan.nodes}
    keys = [*planned, *sorted(set(exports.nodes) - set(planned))]
    nodes = tuple(_node(key, planned.get(key), exports.nodes.get(key), situation.live, cloud) for key in keys)
    unknown = [f"Kubernetes: {situation.live.unknown}"] if situation.live.unknown else []
    unknown += [f"cloud: {cloud.unknown}"] if cloud.unknown else []
    return Status(
        stack=stack,
        cluster=situation.settings.name,
        endpoint=exports.endpoint,
        nodes=nodes,
        strangers=tuple(_strangers(situation, cloud)),
        interrupted=tuple(interrupted),
        proposals=tuple(_proposals(situation, nodes)),
        unknown=tuple(unknown),
    )


def _node(key: str, planned: NodePlan | None, record: NodeExport | None, live: Live, cloud: CloudView) -> NodeStatus:
    is_node = planned.role.is_node if planned else bool(record and record.is_node)
    server = _server(record, cloud)
    kubernetes = _kubernetes(key, live) if is_node else NO_NODE
    broken = (*_broken_server(record, server, cloud), *_broken_node(record, kubernetes, live)) if record else ()
    return NodeStatus(
        node=key,
        role=planned.role.value if planned else record.role if record else "",
        address=record.address if record else "",
        incarnation=record.incarnation if record else "",
        server=server,
        kubernetes=kubernetes if record else NO_NODE,
        broken=broken,
        notes=tuple(_notes(key, planned, record, live)),
    )


def _server(record: NodeExport | None, cloud: CloudView) -> str:
    if record is None:
        return "none"
    if cloud.unknown:
        return "unknown"
    server = cloud.servers.get(record.server_id)
    return server.status if server else "gone"


def _kubernetes(key: str, live: Live) -> str:
    if live.unknown:
        return "unknown"
    node = live.nodes.get(key)
    if node is None:
        return "missing"
    return "Ready" if node.ready else "NotReady"


def _broken_server(record: NodeExport, server: str, cloud: CloudView) -> Iterator[str]:
    if server == "gone":
        yield f"server {record.server_id} is gone from the cloud"
    elif server not in {RUNNING, "unknown"} | UNDER_WAY:
        yield f"server is {server}"
    found = cloud.servers.get(record.server_id)
    if found and found.address and found.address != record.address:
        yield f"server has the address {found.address}, the stack says {record.address}"


def _broken_node(record: NodeExport, kubernetes: str, live: Live) -> Iterator[str]:
    if kubernetes == "missing":
        yield "no Node in Kubernetes"
    elif kubernetes == "NotReady":
        yield "Node is NotReady"
    if record.role == "control-plane" and not live.unknown and not live.etcd.get(record.key):
        yield "etcd member is not ready"


def _notes(key: str, planned: NodePlan | None, record: NodeExport | None, live: Live) -> Iterator[str]:
    if planned is None:
        yield "no longer asked for; not removed yet"
        return
    if record is None:
        yield "asked for; not made yet"
        return
    if planned.change is Change.REPLACED:
        yield f"to be replaced: {record.incarnation} → {planned.incarnation}"
    elif planned.made_from.image != planned.image:
        yield f"runs image {planned.made_from.image}, wished {planned.image}"
    node = live.nodes.get(key)
    if node and node.cordoned:
        yield "cordoned"
    if node and node.version != planned.kubernetes_version and planned.change is Change.KEPT:
        yield f"runs Kubernetes {node.version}, wished {planned.kubernetes_version}"


def _strangers(situation: Situation, cloud: CloudView) -> Iterator[str]:
    known = {node.server_id for node in situation.exports.nodes.values()}
    for server in sorted(cloud.servers.values(), key=lambda server: (server.node, server.id)):
        if server.id not in known:
            yield f"server {server.node} ({server.id}, {server.status}) in the cloud is not the stack's"
    names = {*situation.exports.nodes, *(node.key for node in situation.plan.nodes)}
    for name in sorted(set(situation.live.nodes) - names):
        yield f"Node {name} in Kubernetes is not the stack's"


def _proposals(situation: Situation, nodes: tuple[NodeStatus, ...]) -> Iterator[Proposal]:
    """Propose one heal for all broken workers, and one master at a time."""
    broken = [node for node in nodes if node.broken]
    masters = [node.node for node in broken if node.role == "control-plane"]
    others = [node.node for node in broken if node.role != "control-plane"]
    for group in (*([master] for master in masters[:1]), others):
        if not group:
            continue
        try:
            wished = edits.heal(situation.settings, situation.exports, group)
        except LifecycleError:  # the stack no longer asks for it: its removal is what is due
            wished = ()
        command = f"nodewright heal {' '.join(group)}" if wished else "nodewright create"
        yield Proposal(command=command, edits=tuple(map(str, wished)))
    due = any(
        "not made yet" in note or "to be replaced" in note or "not removed yet" in note
        for n in nodes
        for note in n.notes
    )
    if due and not broken:
        yield Proposal(command="nodewright create", edits=())
