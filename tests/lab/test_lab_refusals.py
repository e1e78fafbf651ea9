"""What the lab refuses, each with a sentence that says what to do."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections import namedtuple
from pathlib import Path

import pytest

from lab import alive, host, images, launch, lock, paths, root, servers
from lab.errors import LabError
from lab.images import store
from tests.lab.lab_command import command

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("empty_cache")]

Usage = namedtuple("Usage", "total used free")


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


@pytest.mark.parametrize("content", [f"{os.getpid()} 1", "", "no number", "1"], ids=["stale", "empty", "words", "half"])
def test_spoilt_pid_file_is_not_taken_for_a_lab(content: str) -> None:
    paths.run().mkdir(parents=True)
    (paths.run() / "pid").write_text(content)
    assert alive.pid() == 0


def test_half_a_status_is_none() -> None:
    paths.run().mkdir(parents=True)
    (paths.run() / "status.json").write_text('{"ready": true, "units')
    assert alive.status() == {}


def test_reader_who_has_seen_enough_gets_no_traceback() -> None:
    """As in `bin/lab status | head -1`."""
    reading, writing = os.pipe()
    os.close(reading)
    status = [sys.executable, "-m", "lab", "status", "--json"]
    done = subprocess.run(status, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, "")


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


def test_older_roots_and_their_databases_go_and_the_current_ones_stay() -> None:
    (paths.home() / "databases").mkdir(parents=True)
    for name in ("root-old", "root-new", "root-old.unfinished"):
        (paths.home() / name / "etc").mkdir(parents=True)
    for name in ("root-old", "root-new"):
        (paths.home() / "databases" / f"{name}.sql").touch()
    root.remove_older(paths.home() / "root-new")
    assert [path.name for path in paths.home().glob("root-*")] == ["root-new"]
    assert [path.name for path in (paths.home() / "databases").iterdir()] == ["root-new.sql"]


def test_images_that_servers_stand_on_or_that_are_offered_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("a", "b", "c", "d"):
        store.ensure("debian-12", key, lambda _target: None)
    server = paths.state() / "nova" / "instances" / "some-server"
    server.mkdir(parents=True)
    (server / "lower").write_text("/var/lib/lab-images/debian-12-a")
    monkeypatch.setattr(servers, "rows", lambda query: [["debian-12-b"]] if query == servers.OFFERED else [])
    launch.remove_older_images(lambda _sentence: None)
    left = sorted(path.name for path in store.folder().glob("debian-*"))
    assert left == ["debian-12-a", "debian-12-b", "debian-12-d"]


def test_no_image_goes_while_a_server_is_being_made(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("a", "b"):
        store.ensure("debian-12", key, lambda _target: None)
    monkeypatch.setattr(servers, "rows", lambda _query: [["some-server"]])
    launch.remove_older_images(lambda _sentence: None)
    assert len(list(store.folder().glob("debian-12-*"))) == 2


def test_root_and_images_are_built_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    both = threading.Barrier(2, timeout=10)

    def make_root(_say: object) -> Path:
        both.wait()
        return Path("/root-key")

    def make_images(names: list[str], **_: object) -> dict[str, Path]:
        both.wait()
        return {name: Path("/images") / name for name in names}

    monkeypatch.setattr(root, "ensure", make_root)
    monkeypatch.setattr(images, "ensure", make_images)
    built = launch.build_missing(lambda _sentence: None, ["debian-12"])
    assert built == (Path("/root-key"), {"debian-12": Path("/images/debian-12")})


def test_image_that_cannot_be_built_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_names: list[str], **_: object) -> dict[str, Path]:
        message = "building the lab's images: the disk is full"
        raise LabError(message)

    monkeypatch.setattr(root, "ensure", lambda _say: Path("/root-key"))
    monkeypatch.setattr(images, "ensure", fail)
    with pytest.raises(LabError, match="the disk is full"):
        launch.build_missing(lambda _sentence: None, ["debian-12"])
