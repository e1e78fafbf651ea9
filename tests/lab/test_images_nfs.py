"""NFS between two machines of the lab: a server in user space, and a mount that needs no kernel client."""

import time

import pytest

from tests.lab.kubeadm_by_hand import Machine, wait_for
from tests.lab.site import LabSite

pytestmark = pytest.mark.lab

GANESHA = """\
NFS_CORE_PARAM { Protocols = 3, 4; Enable_NLM = false; mount_path_pseudo = true; }
NFSV4 { Grace_Period = 5; Lease_Lifetime = 10; RecoveryBackend = fs; }
EXPORT { Export_Id = 1; Path = /srv; Pseudo = /srv; Access_Type = RW; Squash = No_Root_Squash; SecType = sys;
         FSAL { Name = VFS; } }
"""
EVERY_OPTION = "nfsvers=4.2,hard,noatime,proto=tcp,timeo=600,retrans=2"


@pytest.fixture(scope="module")
def data(site: LabSite) -> str:
    """A volume, made before the machines so that it goes after them."""
    return site.create_volume("nfs-data")


@pytest.fixture(scope="module")
def machines(site: LabSite, data: str) -> list[Machine]:
    """Both at once, as they take the longest."""
    pair = [site.reserve("nfs-server"), site.reserve("nfs-client")]
    site.boot(pair, "node-1.34.3")
    return pair


@pytest.fixture(scope="module")
def server(site: LabSite, machines: list[Machine], data: str) -> Machine:
    machine, _ = machines
    site.attach(machine, data)
    machine.run(f"sudo mkfs.ext4 -q /dev/disk/by-id/virtio-{data[:20]}")
    machine.run(f"sudo mount /dev/disk/by-id/virtio-{data[:20]} /srv && sudo chmod 1777 /srv")
    machine.run("sudo tee /etc/ganesha/ganesha.conf >/dev/null", stdin=GANESHA)
    machine.run("sudo systemctl start rpcbind nfs-ganesha")
    return machine


@pytest.fixture(scope="module")
def client(machines: list[Machine], server: Machine) -> Machine:
    _, machine = machines
    machine.run("sudo mkdir -p /mnt/data /mnt/read-only")
    machine.run(f"sudo mount -t nfs -o {EVERY_OPTION} {server.address}:/srv /mnt/data")
    return machine


def test_what_one_machine_writes_the_other_reads(server: Machine, client: Machine) -> None:
    client.run("echo from the client >/mnt/data/client")
    assert server.run("cat /srv/client") == "from the client\n"
    server.run("echo from the server >/srv/server")
    assert client.run("cat /mnt/data/server") == "from the server\n"


def test_files_belong_to_the_user_who_wrote_them(server: Machine, client: Machine) -> None:
    client.run("touch /mnt/data/mine && sudo touch /mnt/data/roots")
    assert server.run("stat -c %U /srv/mine /srv/roots").split() == ["debian", "root"]


def test_large_files_arrive_whole(server: Machine, client: Machine) -> None:
    client.run("head -c 20M /dev/urandom >/mnt/data/large && sync /mnt/data/large")
    sums = {machine.run(f"md5sum <{path}") for machine, path in ((client, "/mnt/data/large"), (server, "/srv/large"))}
    assert len(sums) == 1


def test_files_can_be_renamed_linked_truncated_and_dated(client: Machine) -> None:
    client.run("cd /mnt/data && mkdir -p d && echo text >d/a && mv d/a d/b && ln -sf b d/link && truncate -s 2 d/b")
    client.run("touch -d @1000 /mnt/data/d/b && chmod 600 /mnt/data/d/b")
    assert client.run("cat /mnt/data/d/link; stat -Lc '%Y %a' /mnt/data/d/link").split() == ["te1000", "600"]
    client.run("rm -r /mnt/data/d")


def test_read_only_mount_refuses_to_write(server: Machine, client: Machine) -> None:
    client.run(f"sudo mount -t nfs -o ro {server.address}:/srv /mnt/read-only")
    assert "Read-only file system" in client.run("touch /mnt/read-only/x 2>&1 || true")
    client.run("sudo umount /mnt/read-only")


def test_mount_outlives_the_service_that_made_it(server: Machine, client: Machine) -> None:
    """As the kubelet does: its mounts must not end with it."""
    mount = f"mount -t nfs {server.address}:/srv /mnt/read-only"
    client.run(f"sudo systemd-run --quiet --unit mounter sh -c '{mount} && sleep 1000'")
    client.run("timeout 30 sh -c 'until mountpoint -q /mnt/read-only; do sleep 0.2; done'")
    client.run("sudo systemctl stop mounter")
    client.run("ls /mnt/read-only")
    client.run("sudo umount /mnt/read-only")


def test_unknown_export_is_refused_with_a_reason(server: Machine, client: Machine) -> None:
    said = client.run(f"sudo mount -t nfs {server.address}:/nothing /mnt/read-only 2>&1; echo status $?")
    assert f"mounting {server.address}:/nothing:" in said
    assert said.endswith("status 32\n")


def test_client_rests_while_its_server_is_away_and_goes_on_when_it_is_back(server: Machine, client: Machine) -> None:
    server.run("sudo systemctl stop nfs-ganesha")
    try:
        client.run("sudo systemd-run --quiet --unit writer sh -c 'echo late >/mnt/data/late'")
        before = processor_seconds(client)
        time.sleep(5)
        taken = processor_seconds(client) - before
        assert client.run("systemctl is-active writer").strip() == "active"
    finally:
        server.run("sudo systemctl start nfs-ganesha")
    assert taken < 0.1
    wait_for(60, "what was written meanwhile", lambda: server.run("cat /srv/late 2>/dev/null || true") == "late\n")


def processor_seconds(client: Machine) -> float:
    """What the processes behind its mounts have taken since they began."""
    ticks = client.run("for pid in $(pgrep -x nfsfuse); do awk '{ print $14 + $15 }' /proc/$pid/stat; done").split()
    assert ticks
    return sum(map(int, ticks)) / int(client.run("getconf CLK_TCK"))
