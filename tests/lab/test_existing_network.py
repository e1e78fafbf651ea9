"""A cluster on a network that others made, without a load balancer, its workers never two on a host."""

from collections.abc import Iterator

import openstack
import pytest

from tests.lab.belongings import is_for_a_server
from tests.lab.lab_stack import LabStack
from tests.lab.site import LabSite
from tests.lab.workloads import ready_nodes

pytestmark = [pytest.mark.lab, pytest.mark.long]

NAME = "guest"
HOSTS = 3


@pytest.fixture(scope="module")
def guest(
    site: LabSite, cloud: openstack.connection.Connection, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LabStack]:
    stack = LabStack(tmp_path_factory.mktemp(NAME), "lab", name=NAME)
    stack.change(
        {
            "network": {"network": site.network_name, "subnet": site.network_name, "external": "public"},
            "load-balancer": None,
            "workers.worker.count": HOSTS,
            "workers.worker.spread": "anti-affinity",
        }
    )
    with stack.built():
        yield stack
    # The network stays, and nothing of the cluster is left on it.
    (network,) = cloud.network.networks(name=site.network_name)
    assert [port.name for port in cloud.network.ports(network_id=network.id) if is_for_a_server(port)] == []


def hosts(stack: LabStack, cloud: openstack.connection.Connection) -> set[str]:
    """The compute hosts of the workers."""
    nodes = stack.outputs()["nodes"]
    return {cloud.compute.get_server(nodes[key]["server-id"]).host_id for key in nodes if key.startswith("worker-")}


def broken(cloud: openstack.connection.Connection) -> list[str]:
    """The servers that the cloud gave up."""
    return [server.id for server in cloud.compute.servers(details=True) if server.status == "ERROR"]


def test_only_the_control_plane_is_seen_from_outside(guest: LabStack) -> None:
    assert ready_nodes(guest) == {"control-plane-0", *(f"worker-{number}" for number in range(HOSTS))}
    open_ones = {key for key, node in guest.outputs()["nodes"].items() if node["floating-ip"]}
    assert open_ones == {"control-plane-0"}


def test_workers_are_on_hosts_of_their_own(guest: LabStack, cloud: openstack.connection.Connection) -> None:
    assert len(hosts(guest, cloud)) == HOSTS
    guest.must_change_nothing()


def test_one_worker_more_than_hosts_fails_each_time_anew_and_harms_nobody(
    guest: LabStack, cloud: openstack.connection.Connection
) -> None:
    guest.change({"workers.worker.count": HOSTS + 1})
    given_up = []
    for _ in range(2):
        refused = guest.up()
        assert not refused.ok
        assert "unexpected state 'ERROR'" in refused.output
        (server,) = broken(cloud)
        assert "No valid host" in cloud.compute.get_server(server).fault["message"]
        given_up.append(server)
    assert given_up[0] != given_up[1], "a server that was given up is made anew, not waited for"
    guest.change({"workers.worker.count": HOSTS})
    guest.must_up()
    assert ready_nodes(guest) == {"control-plane-0", *(f"worker-{number}" for number in range(HOSTS))}
    assert broken(cloud) == []
    guest.must_change_nothing()


def test_a_healed_worker_finds_the_host_that_it_left(guest: LabStack, cloud: openstack.connection.Connection) -> None:
    address = guest.outputs()["nodes"]["worker-1"]["address"]
    guest.change({"workers.worker.heal.worker-1": 1})
    guest.must_up()
    assert guest.outputs()["nodes"]["worker-1"]["address"] == address
    assert len(hosts(guest, cloud)) == HOSTS
