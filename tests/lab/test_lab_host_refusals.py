"""What the lab refuses, each with a sentence that says what to do."""

import os
import shutil
import subprocess
import sys
import threading
from collections import namedtuple
from pathlib import Path

import pytest

from lab import alive, host, launch, lock, paths, root
from lab.errors import LabError

pytestmark = pytest.mark.lab_host

Usage = namedtuple("Usage", "total used free")


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No test in here touches the lab that may be running."""
    monkeypatch.setenv("NODEWRIGHT_CACHE", str(tmp_path))
    return tmp_path


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "lab", *arguments], capture_output=True, text=True, check=False)


def test_ordinary_user_is_told_to_use_sudo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(LabError, match="sudo"):
        host.check()


def test_all_missing_packages_are_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        shutil, "which", lambda program: None if program in ("ip", "mmdebstrap", "modprobe") else program
    )
    with pytest.raises(LabError, match="apt-get install iproute2 mmdebstrap"):
        host.check()


def test_full_disk_is_refused_before_anything_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Usage(100 << 30, 99 << 30, 1 << 30))
    with pytest.raises(LabError, match="1 GiB free and 12 are needed"):
        host.check()


def test_inotify_limit_is_raised_only_with_a_word(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit = tmp_path / "max_user_instances"
    limit.write_text("128\n")
    monkeypatch.setattr(host, "INOTIFY", limit)
    said: list[str] = []
    host.raise_inotify_limit(said.append)
    assert limit.read_text() == "1024"
    assert "from 128 to 1024" in said[0]


def test_inotify_limit_that_suffices_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit = tmp_path / "max_user_instances"
    limit.write_text("8192\n")
    monkeypatch.setattr(host, "INOTIFY", limit)
    host.raise_inotify_limit(pytest.fail)
    assert limit.read_text() == "8192\n"


@pytest.mark.parametrize("arguments", [("exec", "true"), ("openstack", "server", "list"), ("ssh", "any")])
def test_nothing_runs_while_the_lab_is_down(arguments: tuple[str, ...]) -> None:
    done = command(*arguments)
    assert done.returncode == 1
    assert "the lab is down; start it with: bin/lab up" in done.stderr


def test_down_of_a_lab_that_never_was_is_fine() -> None:
    assert command("down").returncode == 0


def test_stale_pid_file_is_not_taken_for_a_lab() -> None:
    paths.run().mkdir(parents=True)
    (paths.run() / "pid").write_text(f"{os.getpid()} 1")
    assert alive.pid() == 0


def test_second_call_waits_for_the_first_and_says_so(tmp_path: Path) -> None:
    said: list[str] = []
    with lock.held(tmp_path / "lock", said.append, "another"):
        waiting = threading.Thread(target=lambda: lock.held(tmp_path / "lock", said.append, "another").__enter__())
        waiting.daemon = True
        waiting.start()
        waiting.join(0.5)
        assert waiting.is_alive()
    waiting.join(5)
    assert said == ["waiting for another to end"]


def test_interrupted_build_of_the_root_is_not_taken_for_a_whole_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(root, "command", lambda target: ["sh", "-c", f"mkdir -p {target}/etc; echo no network; exit 1"])
    with pytest.raises(LabError, match="no network"):
        root.ensure(lambda _sentence: None)
    assert not root.directory().exists()


def test_unit_that_keeps_failing_ends_the_wait_with_its_log() -> None:
    paths.logs().mkdir(parents=True)
    (paths.logs() / "cinder.log").write_text("cannot find its settings\n")
    with pytest.raises(LabError, match=r"cinder keeps failing: cannot find its settings .*cinder\.log"):
        launch.refuse_hopeless({"cinder": {"state": "failed", "restarts": 9}})
