"""Whom a server asks for names: what DHCP would tell it."""

import ipaddress

import eventlet
from nova.network import neutron

# A new network's DHCP server comes some seconds after its first subnet.
DHCP_LIMIT_S = 10
# In a subnet's list, this says that there are none.
NONE = ("0.0.0.0", "::")


def of(context, vifs) -> list[str]:
    """Each subnet's own name servers. The DHCP server of a subnet that lists none offers itself, as dnsmasq does."""
    found = []
    for vif in vifs or []:
        for subnet in vif["network"]["subnets"]:
            listed = [server["address"] for server in subnet["dns"]]
            found += [address for address in listed if address not in NONE]
            # Nova notes a DHCP server for subnets that have DHCP, but the gateway's address while it does not know it.
            if not listed and subnet.get_meta("dhcp_server"):
                found += dhcp_servers(context, vif["network"]["id"], subnet["cidr"])
    return list(dict.fromkeys(found))


def dhcp_servers(context, network_id, cidr) -> list[str]:
    client = neutron.get_client(context, admin=True)
    wanted = ipaddress.ip_network(cidr)
    for _ in range(DHCP_LIMIT_S * 2):
        ports = client.list_ports(network_id=network_id, device_owner="network:dhcp")["ports"]
        addresses = [ip["ip_address"] for port in ports for ip in port["fixed_ips"]]
        found = [address for address in addresses if ipaddress.ip_address(address) in wanted]
        if found:
            return found
        eventlet.sleep(0.5)
    return []
