"""What a process that died had ordered from the cloud and not written down.

The engine notes that a creation is under way before it begins. When its process dies in between, the thing may exist
and the stack does not know it: an orphan. Only here does the lifecycle delete in a cloud, and only a thing that all of
this holds for: its creation was under way, its id is in no state, and it answers to the description noted down.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from lifecycle.cloud import CLUSTER, NODE
from lifecycle.steps import FLOATING_IP, PORT, SECURITY_RULE, SERVER, VOLUME

NETWORK = "openstack:networking/network:Network"
SUBNET = "openstack:networking/subnet:Subnet"
ROUTER = "openstack:networking/router:Router"
ROUTER_INTERFACE = "openstack:networking/routerInterface:RouterInterface"
SECURITY_GROUP = "openstack:networking/secGroup:SecGroup"
SERVER_GROUP = "openstack:compute/serverGroup:ServerGroup"
DELETE_TIMEOUT_S = 300
# A request outlives who sent it: a busy cloud carries it out seconds after its sender has died.
SETTLE_S = 30.0
LOOK_EVERY_S = 2.0


@dataclass(frozen=True, kw_only=True)
class Pending:
    """A creation that was under way."""

    type: str
    name: str
    inputs: Mapping[str, Any]

    def __str__(self) -> str:
        """Say what it was."""
        return f"{self.type.rpartition(':')[2]} {self.inputs.get('name') or self.name}"


@dataclass(frozen=True, kw_only=True)
class Orphan:
    """A thing in the cloud that belongs to a creation nobody finished."""

    pending: Pending
    id: str
    delete: Callable[[], object]

    def __str__(self) -> str:
        """Say what it is."""
        return f"{self.pending} ({self.id})"


def pending_creates(state: Mapping[str, Any]) -> tuple[Pending, ...]:
    """Read the creations under way from a state."""
    return tuple(
        Pending(
            type=operation["resource"]["type"],
            name=operation["resource"]["urn"].rpartition("::")[2],
            inputs=operation["resource"].get("inputs") or {},
        )
        for operation in (state.get("deployment") or {}).get("pending_operations") or ()
        if operation["type"] == "creating"
    )


def in_the_cloud(pendings: Iterable[Pending]) -> tuple[Pending, ...]:
    """Those whose creation could have left something in the cloud."""
    return tuple(pending for pending in pendings if pending.type in FINDERS)


def find(connection: Any, cluster: str, state: Mapping[str, Any]) -> tuple[Orphan, ...]:
    """Find what the creations under way have left."""
    resources = (state.get("deployment") or {}).get("resources") or ()
    known = frozenset(resource["id"] for resource in resources if resource.get("id"))
    return tuple(
        orphan
        for pending in in_the_cloud(pending_creates(state))
        for orphan in FINDERS[pending.type](connection, cluster, pending)
        if orphan.id not in known
    )


def find_settled(
    connection: Any,
    cluster: str,
    state: Mapping[str, Any],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[Orphan, ...]:
    """Find what the creations under way have left, once the cloud has had the time to finish them."""
    deadline = clock() + SETTLE_S
    under_way = len(in_the_cloud(pending_creates(state)))
    while len(found := find(connection, cluster, state)) < under_way and clock() < deadline:
        sleep(LOOK_EVERY_S)
    return found


def _servers(connection: Any, cluster: str, pending: Pending) -> Iterator[Orphan]:
    for server in connection.compute.servers(details=True, name=f"^{pending.name}$"):
        metadata = server.metadata or {}
        if metadata.get(CLUSTER) == cluster and metadata.get(NODE) == pending.name:
            yield Orphan(pending=pending, id=server.id, delete=partial(_delete_server, connection, server))


def _delete_server(connection: Any, server: Any) -> None:
    connection.compute.delete_server(server)
    connection.compute.wait_for_delete(server, wait=DELETE_TIMEOUT_S)


def _volumes(connection: Any, cluster: str, pending: Pending) -> Iterator[Orphan]:
    for volume in connection.block_storage.volumes(details=True, name=pending.inputs.get("name") or pending.name):
        metadata = volume.metadata or {}
        wished = pending.inputs.get("metadata") or {}
        # Its creation was not finished, so no machine ever had it: one that was attached is another one.
        if metadata.get(CLUSTER) == cluster and metadata.get(NODE) == wished.get(NODE) and not volume.attachments:
            yield Orphan(
                pending=pending, id=volume.id, delete=partial(connection.block_storage.delete_volume, volume.id)
            )


def _ports(connection: Any, cluster: str, pending: Pending) -> Iterator[Orphan]:
    del cluster  # a port carries no metadata; its network is the cluster's own or one named by the stack
    found = connection.network.ports(name=pending.name, network_id=pending.inputs.get("networkId"))
    for port in found:
        if not port.device_id:
            yield Orphan(pending=pending, id=port.id, delete=partial(connection.network.delete_port, port.id))


def _floating_ips(connection: Any, cluster: str, pending: Pending) -> Iterator[Orphan]:
    del cluster  # the port it leads to is the cluster's
    port = pending.inputs.get("portId")
    for address in connection.network.ips(port_id=port) if port else ():
        yield Orphan(pending=pending, id=address.id, delete=partial(connection.network.delete_ip, address.id))


def _security_rules(connection: Any, cluster: str, pending: Pending) -> Iterator[Orphan]:
    del cluster  # the group is the cluster's
    wished = pending.inputs
    for rule in connection.network.security_group_rules(security_group_id=wished.get("securityGroupId")):
        same = (
            rule.direction == wished.get("direction"),
            rule.ether_type == wished.get("ethertype"),
            rule.protocol == wished.get("protocol"),
            rule.port_range_min == wished.get("portRangeMin"),
            rule.port_range_max == wished.get("portRangeMax"),
            rule.remote_group_id == wished.get("remoteGroupId"),
            rule.remote_ip_prefix == wished.get("remoteIpPrefix"),
        )
        if all(same):
            delete = connection.network.delete_security_group_rule
            yield Orphan(pending=pending, id=rule.id, delete=partial(delete, rule.id))


def _router_interfaces(connection: Any, cluster: str, pending: Pending) -> Iterator[Orphan]:
    del cluster  # the router is the cluster's
    router, subnet = pending.inputs.get("routerId"), pending.inputs.get("subnetId")
    if not router or not subnet:
        return
    for port in connection.network.ports(device_id=router, device_owner="network:router_interface"):
        if any(address["subnet_id"] == subnet for address in port.fixed_ips):
            remove = connection.network.remove_interface_from_router
            yield Orphan(pending=pending, id=port.id, delete=partial(remove, router, subnet_id=subnet))


def _named(collection: str, delete: str) -> Callable[[Any, str, Pending], Iterator[Orphan]]:
    """Find things that have nothing but a name. The cloud itself refuses to delete one that is in use."""

    def finder(connection: Any, cluster: str, pending: Pending) -> Iterator[Orphan]:
        del cluster  # part of the name
        service, _, listing = collection.partition(".")
        proxy = getattr(connection, service)
        name = pending.inputs.get("name")
        for thing in getattr(proxy, listing)():
            if name and thing.name == name:
                yield Orphan(pending=pending, id=thing.id, delete=partial(getattr(proxy, delete), thing.id))

    return finder


FINDERS: Mapping[str, Callable[[Any, str, Pending], Iterator[Orphan]]] = {
    SERVER: _servers,
    VOLUME: _volumes,
    PORT: _ports,
    FLOATING_IP: _floating_ips,
    SECURITY_RULE: _security_rules,
    ROUTER_INTERFACE: _router_interfaces,
    SUBNET: _named("network.subnets", "delete_subnet"),
    ROUTER: _named("network.routers", "delete_router"),
    SECURITY_GROUP: _named("network.security_groups", "delete_security_group"),
    SERVER_GROUP: _named("compute.server_groups", "delete_server_group"),
    NETWORK: _named("network.networks", "delete_network"),
}
