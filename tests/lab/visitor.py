"""A customer's server that outlives the process that made it: `python -m tests.lab.visitor ACTION DIRECTORY`.

Runs under `lab exec`; tests on the host's side call it between `lab down` and `lab up`.
"""

import json
import sys
import warnings
from pathlib import Path

import openstack

from tests.lab.kubeadm_by_hand import Machine, wait_for
from tests.lab.site import LabSite

NAME = "visitor"
DEVICE = "/dev/disk/by-id/virtio-{}"
# Not in fstab: systemd passes over its devices in what it takes for a container.
UNIT = "/etc/systemd/system/data.mount"
MOUNT = "[Mount]\nWhat={}\nWhere=/data\nType=ext4\n[Install]\nWantedBy=local-fs.target\n"


def arrive(cloud: openstack.connection.Connection, folder: Path) -> None:
    """A running server with a floating IP and a mounted volume that holds data."""
    site = LabSite(cloud, NAME, folder)
    site.__enter__()  # never left: `leave` takes it down by name
    volume = site.create_volume(NAME)
    machine = site.create(NAME, volumes=(volume,))
    device = DEVICE.format(volume[:20])
    machine.run(f"sudo mkfs.ext4 -q {device} && sudo mkdir /data && sudo tee {UNIT}", stdin=MOUNT.format(device))
    machine.run("sudo systemctl enable -q --now data.mount")
    machine.run("echo kept | sudo tee /data/file && echo kept | sudo tee /root/file")
    (folder / "machine.json").write_text(json.dumps([machine.port_id, machine.address, machine.floating_ip]))


def look(_cloud: openstack.connection.Connection, folder: Path) -> None:
    """It answers where it did before, and has what it had."""
    port_id, address, floating_ip = json.loads((folder / "machine.json").read_text())
    machine = Machine(name=NAME, port_id=port_id, address=address, floating_ip=floating_ip, private_key=folder / "key")
    wait_for(60, "the server to answer on its floating IP", machine.answers)
    assert machine.run("cat /data/file; sudo cat /root/file").split() == ["kept", "kept"]


def leave(cloud: openstack.connection.Connection, _folder: Path) -> None:
    """Whatever is there, in the order in which one thing needs the other."""
    server = cloud.compute.find_server(NAME)
    if server:
        cloud.compute.delete_server(server)
        cloud.compute.wait_for_delete(server, wait=60)
    volume = cloud.block_storage.find_volume(NAME)
    if volume:
        cloud.block_storage.wait_for_status(volume, "available", wait=60)
        cloud.block_storage.delete_volume(volume.id)
    network = cloud.network
    for port in network.ports(name=NAME):
        for floating_ip in network.ips(port_id=port.id):
            network.delete_ip(floating_ip)
        network.delete_port(port)
    for router in network.routers(name=NAME):
        for subnet in network.subnets(name=NAME):
            network.remove_interface_from_router(router, subnet=subnet.id)
        network.delete_router(router)
    for found in network.networks(name=NAME):
        network.delete_network(found)
    for group in network.security_groups(name=NAME):
        network.delete_security_group(group)
    cloud.compute.delete_keypair(NAME, ignore_missing=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    action, directory = sys.argv[1:]
    with openstack.connect(cloud="lab") as connection:
        {"arrive": arrive, "look": look, "leave": leave}[action](connection, Path(directory))
