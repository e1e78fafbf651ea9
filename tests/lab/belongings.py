"""What the cloud holds of a cluster, beside what the engine knows of it: the difference is what nobody will remove."""

from collections.abc import Mapping
from typing import Any

import openstack

from lifecycle.cloud import CLUSTER

KINDS = {
    "openstack:compute/instance:Instance": "server",
    "openstack:networking/port:Port": "port",
    "openstack:blockstorage/volume:Volume": "volume",
    "openstack:networking/floatingIp:FloatingIp": "floating IP",
}


def known(deployment: Mapping[str, Any]) -> set[str]:
    return {
        f"{KINDS[resource['type']]} {resource['id']}"
        for resource in deployment.get("resources", ())
        if resource["type"] in KINDS
    }


def held(cloud: openstack.connection.Connection, cluster: str) -> set[str]:
    """Servers and volumes carry the cluster's name; ports are on its network, floating IPs lead to its ports."""
    found = {f"server {server.id}" for server in cloud.compute.servers(details=True) if belongs(server, cluster)}
    found |= {f"volume {volume.id}" for volume in cloud.block_storage.volumes(details=True) if belongs(volume, cluster)}
    ports = set()
    for network in cloud.network.networks(name=cluster):
        ports |= {port.id for port in cloud.network.ports(network_id=network.id) if is_for_a_server(port)}
    addresses = {f"floating IP {address.id}" for address in cloud.network.ips() if address.port_id in ports}
    return found | {f"port {port}" for port in ports} | addresses


def belongs(thing: Any, cluster: str) -> bool:
    return bool((thing.metadata or {}).get(CLUSTER) == cluster)


def is_for_a_server(port: Any) -> bool:
    """Neutron's own ports (router, DHCP) are not the cluster's to make."""
    return not (port.device_owner or "").startswith("network:")
