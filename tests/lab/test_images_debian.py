"""The plain Debian image: a machine as any cloud gives it."""

import pytest

from tests.lab.kubeadm_by_hand import Machine
from tests.lab.site import LabSite

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def machine(site: LabSite) -> Machine:
    return site.create("plain")


def test_every_unit_started(machine: Machine) -> None:
    assert machine.run("systemctl is-system-running --wait").strip() == "running"


def test_login_user_may_do_everything(machine: Machine) -> None:
    assert machine.run("sudo -n id -un").strip() == "root"


def test_machine_has_its_own_name_and_host_key(machine: Machine) -> None:
    assert machine.run("hostname").strip() == "plain"
    assert "root@plain" in machine.run("cat /etc/ssh/ssh_host_ed25519_key.pub")


def test_nothing_of_kubernetes_is_there(machine: Machine) -> None:
    found = machine.run("command -v kubeadm kubelet containerd haproxy || true")
    assert found == ""


def test_apt_knows_where_packages_come_from(machine: Machine) -> None:
    assert "bookworm" in machine.run("apt-get --print-uris update")
