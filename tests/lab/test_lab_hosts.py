"""Several compute hosts: servers are kept apart, and one that moves to another host is still itself."""

from collections.abc import Iterator
from typing import Any

import openstack
import pytest

from tests.lab.kubeadm_by_hand import Machine, wait_for
from tests.lab.site import LabSite

pytestmark = pytest.mark.lab

HOSTS = 3


@pytest.fixture(scope="module")
def apart(site: LabSite, cloud: openstack.connection.Connection) -> Iterator[list[Machine]]:
    """As many servers as there are hosts, no two of them on one."""
    group = cloud.compute.create_server_group(name="apart", policy="anti-affinity")
    machines = [site.reserve(f"apart-{number}") for number in range(HOSTS)]
    for machine in machines:
        site.order(machine, hints={"group": group.id})
    for machine in machines:
        site.wait_until_usable(machine)
    yield machines
    cloud.compute.delete_server_group(group)


def test_servers_of_a_hard_anti_affinity_group_are_on_different_hosts(site: LabSite, apart: list[Machine]) -> None:
    assert len({site.server(machine).host_id for machine in apart}) == HOSTS


def test_one_server_more_than_hosts_finds_no_room(
    site: LabSite, apart: list[Machine], cloud: openstack.connection.Connection
) -> None:
    group = cloud.compute.find_server_group("apart", ignore_missing=False)
    machine = site.reserve("apart-too-many")
    site.order(machine, hints={"group": group.id})
    wait_for(60, "an answer", lambda: site.status(machine) in ("ACTIVE", "ERROR"))
    assert site.status(machine) == "ERROR"
    assert "No valid host" in site.server(machine).fault["message"]


def test_volume_comes_to_and_leaves_a_server_of_any_host(site: LabSite, apart: list[Machine]) -> None:
    volume = site.create_volume("wandering")
    device = f"/dev/disk/by-id/virtio-{volume[:20]}"
    for machine in apart:
        site.attach(machine, volume)
        machine.run(f"test -b {device}")
        site.detach(machine, volume)
        site.wait_for_volume(volume, "available")
        machine.run(f"test ! -e {device}")


@pytest.mark.parametrize("end", ["confirm", "revert"])
def test_resized_server_keeps_address_and_data(site: LabSite, apart: list[Machine], end: str) -> None:
    """The host with the most room is chosen, whichever that is; a server of the group stays where it is."""
    machine = site.create(f"moving-{end}")
    machine.run("echo kept >kept")
    memory = "awk '/^MemTotal/ { print $2 }' /proc/meminfo"
    compute: Any = site._cloud.compute
    server = site.server(machine)
    compute.resize_server(server, compute.find_flavor("m1.medium", ignore_missing=False).id)
    site.wait_for_status(machine, "VERIFY_RESIZE", timeout_s=120)
    getattr(compute, f"{end}_server_resize")(server)
    site.wait_for_status(machine, "ACTIVE", timeout_s=120)
    wait_for(60, "ssh after the resize", machine.answers)
    assert machine.run("cat kept") == "kept\n"
    mib = {"confirm": 2048, "revert": 1024}[end]
    assert int(machine.run(memory)) == mib * 1024


def test_killed_server_of_any_host_is_seen(site: LabSite, apart: list[Machine]) -> None:
    for machine in apart:
        machine.run("sudo systemd-run --quiet --on-active=1 --timer-property=AccuracySec=100ms poweroff -ff")
    for machine in apart:
        site.wait_for_status(machine, "SHUTOFF")
