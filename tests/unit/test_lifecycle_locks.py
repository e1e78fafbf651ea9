"""Whose lock is it, and is its owner really gone."""

import json
import os
import socket
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lifecycle.errors import Exit, LifecycleError
from lifecycle.locks import Lock, hold, read_locks


def lock(*, pid: int, host: str | None = None, age: timedelta = timedelta()) -> Lock:
    return Lock(pid=pid, user="me", host=host or socket.gethostname(), since=datetime.now(UTC) - age)


def dead_pid() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_a_living_process_is_not_gone() -> None:
    assert not lock(pid=os.getpid()).owner_is_gone


def test_an_ended_process_is_gone() -> None:
    assert lock(pid=dead_pid()).owner_is_gone


def test_a_process_younger_than_the_lock_only_has_the_same_number() -> None:
    assert lock(pid=os.getpid(), age=timedelta(days=400)).owner_is_gone


def test_of_another_machine_nobody_can_say() -> None:
    assert not lock(pid=dead_pid(), host="elsewhere").owner_is_gone


def test_locks_are_read_from_a_backend_in_a_directory(tmp_path: Path) -> None:
    folder = tmp_path / ".pulumi" / "locks" / "organization" / "nodewright" / "lab"
    folder.mkdir(parents=True)
    content = {"pid": 7, "username": "me", "hostname": "here", "timestamp": "2026-11-18T12:00:00.123456789Z"}
    (folder / "a.json").write_text(json.dumps(content))
    (found,) = read_locks(f"file://{tmp_path}", "nodewright", "lab")
    assert (found.pid, found.host, found.since) == (7, "here", datetime(2026, 11, 18, 12, 0, 0, 123456, UTC))
    assert read_locks(f"file://{tmp_path}", "nodewright", "other") == ()
    assert read_locks("s3://bucket", "nodewright", "lab") == ()


def test_a_second_operation_is_refused_while_the_first_one_runs(tmp_path: Path) -> None:
    path = tmp_path / "Pulumi.lab.yaml"
    with (
        hold(path, 0),
        pytest.raises(LifecycleError, match=f"process {os.getpid()} works on it") as raised,
        hold(path, 0),
    ):
        pass
    assert raised.value.code is Exit.BUSY


def test_the_next_operation_starts_when_the_first_one_ended(tmp_path: Path) -> None:
    path = tmp_path / "Pulumi.lab.yaml"
    with hold(path, 0):
        pass
    with hold(path, 0):
        pass
