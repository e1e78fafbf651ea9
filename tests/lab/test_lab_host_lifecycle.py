"""The lab's own life: it repairs itself, leaves nothing behind, and brings servers back as they were."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab import alive, paths, teardown
from tests.lab.conftest import LAB, UP, Lab
from tests.lab.kubeadm_by_hand import wait_for

pytestmark = pytest.mark.lab_host


@pytest.fixture(scope="module")
def visit(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A server in the lab that is there before, and looked for afterwards."""
    folder = tmp_path_factory.mktemp("visitor")
    visitor(lab, "leave", folder)
    visitor(lab, "arrive", folder)
    yield folder
    visitor(lab, "leave", folder)


def visitor(lab: Lab, action: str, folder: Path) -> None:
    lab("exec", sys.executable, "-m", "tests.lab.visitor", action, str(folder))


def unit(name: str) -> dict[str, object]:
    found: dict[str, object] = alive.status()["units"][name]
    return found


def traces() -> dict[str, set[str]]:
    """What somebody could have left on this machine."""

    def lines(*command: str) -> set[str]:
        return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines())

    mounts = {line.split(" ", 4)[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()}
    cgroups = {str(path) for path in Path("/sys/fs/cgroup").rglob(f"{alive.name()}*")}
    return {
        "network namespaces": lines("ip", "netns"),
        "links": {line.split(": ")[1] for line in lines("ip", "-oneline", "link")},
        "addresses": {line.split(" ", 1)[1].split(" valid_lft")[0] for line in lines("ip", "-oneline", "addr")},
        "routes": lines("ip", "route"),
        "mounts": mounts,
        "loop devices": set(teardown.loops()),
        "cgroups": cgroups,
        "processes": {str(number) for number in teardown.strays()},
    }


def test_crashed_service_is_restarted(lab: Lab) -> None:
    before = unit("placement")
    subprocess.run(alive.inside("kill", "-KILL", str(before["pid"])), check=True)
    wait_for(10, "the crash to be seen", lambda: unit("placement")["restarts"] != before["restarts"])
    wait_for(90, "placement to be back", lambda: unit("placement")["state"] == "up")


def test_doctor_names_a_part_that_hangs_and_its_log(lab: Lab) -> None:
    hanging = str(unit("glance")["pid"])
    children = "pkill -{} -P {}; kill -{} {}"
    subprocess.run(alive.inside("sh", "-c", children.format("STOP", hanging, "STOP", hanging)), check=True)
    try:
        report = lab("doctor", check=False)
        assert report.returncode == 1
        broken = [line for line in report.stdout.splitlines() if line.startswith("BROKEN")]
        assert len(broken) == 1
        assert "glance" in broken[0]
        assert "glance.log" in broken[0]
    finally:
        subprocess.run(alive.inside("sh", "-c", children.format("CONT", hanging, "CONT", hanging)), check=True)


def test_up_on_a_lab_that_is_up_changes_nothing(lab: Lab) -> None:
    before = alive.pid()
    started = time.monotonic()
    lab(*UP)
    assert alive.pid() == before
    assert time.monotonic() - started < 30


def test_down_leaves_nothing_and_up_brings_servers_back(lab: Lab, visit: Path) -> None:
    lab("down")
    before = traces()
    assert not before["loop devices"]
    assert not before["cgroups"]
    refused = lab("exec", "true", check=False)
    assert refused.returncode == 1
    assert "lab up" in refused.stderr

    lab(*UP)
    visitor(lab, "look", visit)
    stayed = subprocess.Popen([sys.executable, "-m", "lab", "exec", "sleep", "600"])
    try:
        lab("down")
        assert traces() == before
        assert stayed.wait(timeout=5) != 0
    finally:
        stayed.kill()
        lab(*UP)
    visitor(lab, "look", visit)


def test_killed_up_is_gone_on_with(lab: Lab, visit: Path) -> None:
    lab("down")
    killed = subprocess.Popen([LAB, *UP], stderr=subprocess.DEVNULL)
    try:
        wait_for(60, "process 1", lambda: bool(alive.pid()))
    finally:
        killed.kill()
        killed.wait()
    begun = alive.pid()
    lab(*UP)
    assert alive.pid() == begun
    visitor(lab, "look", visit)


def test_killed_lab_is_cleaned_up_and_comes_back(lab: Lab, visit: Path) -> None:
    os.kill(alive.pid(), signal.SIGKILL)
    wait_for(10, "process 1 to be gone", lambda: not alive.pid())
    try:
        lab("down")
        left = traces()
        assert not left["cgroups"]
        assert not left["loop devices"]
        assert alive.name() not in " ".join(left["network namespaces"])
        assert not any(str(paths.home()) in mount for mount in left["mounts"])
    finally:
        lab(*UP)
    visitor(lab, "look", visit)


def test_status_says_down_when_it_is_down(lab: Lab, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lab", "status", "--json"],
        env=os.environ | {"NODEWRIGHT_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(done.stdout)["up"] is False
