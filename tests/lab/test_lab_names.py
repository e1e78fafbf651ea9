"""Whom servers ask for names."""

import openstack
import pytest

from tests.lab.site import LabSite

pytestmark = pytest.mark.lab


def test_dhcp_server_of_a_subnet_without_name_servers_is_asked_and_answers(
    site: LabSite, cloud: openstack.connection.Connection
) -> None:
    machine = site.create("asks-dhcp")
    network = site.port(machine).network_id
    (dhcp,) = cloud.network.ports(network_id=network, device_owner="network:dhcp")
    address = dhcp.fixed_ips[0]["ip_address"]
    assert machine.run("cat /etc/resolv.conf") == f"nameserver {address}\n"
    name = f"host-{machine.address.replace('.', '-')}.openstacklocal"
    assert machine.run(f"getent ahostsv4 {name}").split()[0] == machine.address


def test_name_servers_of_a_subnet_come_before_its_dhcp_server(
    site: LabSite, cloud: openstack.connection.Connection
) -> None:
    machine = site.reserve("asks-others")
    subnet = site.port(machine).fixed_ips[0]["subnet_id"]
    cloud.network.update_subnet(subnet, dns_nameservers=["192.0.2.53", "192.0.2.54"])
    site.order(machine)
    site.wait_until_usable(machine)
    listed = machine.run("cat /etc/resolv.conf").split()
    assert sorted(listed) == ["192.0.2.53", "192.0.2.54", "nameserver", "nameserver"]
