"""Servers, volumes and rules of the lab's cloud do what a user of any cloud expects."""

import socket

import openstack
import pytest

from tests.lab.conftest import Lab
from tests.lab.kubeadm_by_hand import Machine, wait_for
from tests.lab.site import LabSite

pytestmark = pytest.mark.lab

BY_ID = "/dev/disk/by-id/virtio-{}"


@pytest.fixture(scope="module")
def machine(site: LabSite) -> Machine:
    return site.create("first")


def is_open(address: str, port: int) -> bool:
    try:
        with socket.create_connection((address, port), timeout=1):
            return True
    except OSError:
        return False


def test_server_answers_on_its_floating_ip(machine: Machine) -> None:
    assert machine.run("hostname").strip() == "first"


def test_fixed_address_is_out_of_reach_from_outside(machine: Machine) -> None:
    assert not is_open(machine.address, 22)


def test_console_log_shows_the_boot(site: LabSite, machine: Machine, cloud: openstack.connection.Connection) -> None:
    output = cloud.compute.get_server_console_output(site.server(machine).id)["output"]
    assert "Cloud-init" in output


def test_lab_ssh_reaches_a_server_by_name(lab: Lab, machine: Machine) -> None:
    done = lab("ssh", "-i", str(machine.private_key), machine.name, "hostname")
    assert done.stdout.strip() == "first"


def test_server_sees_the_memory_and_disk_of_its_flavor(machine: Machine) -> None:
    assert machine.run("awk '/^MemTotal/ { print $2 }' /proc/meminfo").strip() == str(1024 * 1024)
    gib = int(machine.run("df --output=size -BG / | tail -1").strip().rstrip("G"))
    assert 19 <= gib <= 20


def test_more_memory_than_the_flavor_has_ends_the_process(machine: Machine) -> None:
    taken = machine.run("python3 -c 'x = bytearray(2 << 30); print(\"got it\")'; true")
    assert "got it" not in taken


def test_processors_of_the_flavor_are_the_limit(machine: Machine) -> None:
    loop = "timeout 3 bash -c 'while :; do :; done' &"
    timed = machine.run("bash -s 2>&1", stdin=f"TIMEFORMAT=%U; time {{ {loop} {loop} {loop} wait; }}")
    # Three loops of three seconds on one processor: three seconds of its time, and no more than a little beyond.
    assert float(timed) < 4.5


def test_new_rule_opens_a_port(site: LabSite, machine: Machine) -> None:
    machine.run("nohup python3 -m http.server 8000 >/dev/null 2>&1 &")
    wait_for(10, "the server to listen", lambda: "8000" in machine.run("ss -ltn"))
    assert not is_open(machine.floating_ip, 8000)
    site.open_port(8000)
    wait_for(60, "port 8000 to be open", lambda: is_open(machine.floating_ip, 8000))


def test_second_change_of_a_port_takes_effect(
    site: LabSite, machine: Machine, cloud: openstack.connection.Connection
) -> None:
    """Neutron's agent once went deaf after the first one."""
    for pair in ("10.244.0.0/16", "10.245.0.0/16"):
        cloud.network.update_port(machine.port_id, allowed_address_pairs=[{"ip_address": pair}])
    cloud.network.update_port(machine.port_id, allowed_address_pairs=[])
    site.open_port(8001)
    machine.run("nohup python3 -m http.server 8001 >/dev/null 2>&1 &")
    wait_for(60, "port 8001 to be open", lambda: is_open(machine.floating_ip, 8001))


def test_volume_moves_to_another_server_with_its_data(site: LabSite, machine: Machine) -> None:
    volume = site.create_volume("moving")
    device = BY_ID.format(volume[:20])
    site.attach(machine, volume)
    machine.run(f"sudo mkfs.ext4 -q {device} && sudo mount {device} /mnt && echo kept | sudo tee /mnt/file")
    machine.run("sudo umount /mnt")
    site.detach(machine, volume)
    site.wait_for_volume(volume, "available")

    other = site.create("second", volumes=(volume,))
    assert other.run(f"sudo mount {device} /mnt && cat /mnt/file").strip() == "kept"


def test_delete_of_a_dead_server_frees_its_volume(site: LabSite, lab: Lab) -> None:
    volume = site.create_volume("orphan")
    doomed = site.create("doomed", volumes=(volume,))
    lab("fault", "kill", site.server(doomed).id)
    site.delete(doomed)
    site.wait_for_volume(volume, "available")


def test_stop_is_a_clean_halt_and_start_brings_the_server_back(
    site: LabSite, machine: Machine, cloud: openstack.connection.Connection
) -> None:
    witness = "--unit=witness --property=ExecStop='/usr/bin/touch /root/stopped-cleanly' sleep 1000"
    machine.run(f"sudo systemd-run -q {witness}")
    cloud.compute.stop_server(site.server(machine))
    site.wait_for_status(machine, "SHUTOFF")
    cloud.compute.start_server(site.server(machine))
    wait_for(60, "ssh after start", machine.answers)
    machine.run("sudo test -e /root/stopped-cleanly")


def test_snapshot_of_a_server_is_an_image_that_starts_with_what_it_had(
    site: LabSite, machine: Machine, cloud: openstack.connection.Connection
) -> None:
    machine.run("echo kept | sudo tee /opt/kept && sync")
    image = cloud.compute.create_server_image(site.server(machine), name="copy-of-first", wait=True, timeout=120)
    try:
        copy = site.create("from-snapshot", image=image.id)
        assert copy.run("cat /opt/kept; hostname").split() == ["kept", "from-snapshot"]
        site.delete(copy)
    finally:
        cloud.image.delete_image(image.id)
