"""Each fault breaks what it says, and its counterpart mends it."""

import urllib.error
import urllib.request

import pytest

from tests.lab.conftest import Lab
from tests.lab.kubeadm_by_hand import Machine, wait_for
from tests.lab.site import LabSite
from tests.lab.test_lab_servers import is_open

pytestmark = pytest.mark.lab

CINDER = "http://172.24.4.1:8776/"


@pytest.fixture(scope="module")
def victim(site: LabSite) -> Machine:
    return site.create("victim")


def answer(url: str) -> int:
    """The API's status code; 0 when it does not answer."""
    try:
        with urllib.request.urlopen(url, timeout=2) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def test_killed_server_is_seen_and_starts_again(site: LabSite, victim: Machine, lab: Lab) -> None:
    lab("fault", "kill", victim.name)
    site.wait_for_status(victim, "SHUTOFF")
    site._cloud.compute.start_server(site.server(victim))
    site.wait_for_status(victim, "ACTIVE")
    wait_for(60, "ssh after the start", victim.answers)


def test_frozen_server_hangs_until_it_thaws(victim: Machine, lab: Lab) -> None:
    lab("fault", "freeze", victim.name)
    try:
        assert not victim.answers()
    finally:
        lab("fault", "thaw", victim.name)
    wait_for(30, "ssh after the thaw", victim.answers)


def test_cut_server_is_alone_until_restored(victim: Machine, lab: Lab) -> None:
    lab("fault", "cut", victim.name)
    try:
        wait_for(10, "the network to be gone", lambda: not is_open(victim.floating_ip, 22))
    finally:
        lab("fault", "restore", victim.name)
    wait_for(30, "ssh after the repair", victim.answers)


def test_full_disk_takes_no_byte_until_freed(victim: Machine, lab: Lab) -> None:
    lab("fault", "fill", victim.name)
    try:
        assert "No space left" in victim.run("dd if=/dev/zero of=$HOME/more bs=1M count=1 2>&1 || true")
    finally:
        lab("fault", "free", victim.name)
    victim.run("dd if=/dev/zero of=$HOME/more bs=1M count=1")


@pytest.mark.parametrize(("mode", "status"), [("error", 503), ("hang", 0)])
def test_broken_api_is_well_again_afterwards(lab: Lab, mode: str, status: int) -> None:
    well = answer(CINDER)
    assert well in (200, 300)
    lab("fault", "api", "cinder", mode)
    try:
        assert answer(CINDER) == status
    finally:
        lab("fault", "api", "cinder", "ok")
    assert answer(CINDER) == well


def test_stuck_volume_detaches_only_when_let_go(site: LabSite, victim: Machine, lab: Lab) -> None:
    volume = site.create_volume("stuck")
    site.attach(victim, volume)
    lab("fault", "volume", "stick", volume)
    try:
        site.detach(victim, volume)
        site.wait_for_volume(volume, "detaching")
        with pytest.raises(AssertionError):
            site.wait_for_volume(volume, "available", timeout_s=8)
    finally:
        lab("fault", "volume", "unstick", volume)
    site.wait_for_volume(volume, "available")


def test_fault_on_an_unknown_server_names_the_known_ones(lab: Lab, victim: Machine) -> None:
    done = lab("fault", "kill", "nobody", check=False)
    assert done.returncode == 1
    assert "victim" in done.stderr


def test_fault_on_an_unknown_service_names_the_known_ones(lab: Lab) -> None:
    done = lab("fault", "api", "toaster", "hang", check=False)
    assert done.returncode == 1
    assert "keystone" in done.stderr
