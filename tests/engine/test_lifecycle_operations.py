"""The operations on the real engine: each does what it says, and nothing the second time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lifecycle import operations
from lifecycle.engine import Engine
from lifecycle.errors import Exit, LifecycleError
from lifecycle.operations import OperationFailedError
from lifecycle.progress import Progress
from lifecycle.repair import inspect
from lifecycle.results import Outcome, Result
from tests.engine.clusters import cluster
from tests.engine.harness import ROOT
from tests.engine.lifecycle_project import STACK, Project, environment
from tests.engine.shelf import Shelf

pytestmark = pytest.mark.engine


@pytest.fixture
def project(tmp_path: Path, plugin_home: Path, shelf: Shelf) -> Iterator[Project]:
    with environment(plugin_home, tmp_path):
        yield Project(tmp_path, cluster(), shelf)


def actions(result: Result) -> dict[str, str]:
    return {node.node: node.action for node in result.nodes}


def phases(result: Result, node: str) -> list[str]:
    return next([phase.name for phase in found.phases] for found in result.nodes if found.node == node)


def test_a_life_from_create_to_destroy(project: Project) -> None:
    options = project.options()
    heard: list[Progress] = []

    created = operations.create(project.options(on_progress=heard.append))
    assert created.outcome is Outcome.DONE
    assert actions(created)["worker-1"] == "added"
    assert phases(created, "worker-1")[-3:] == ["take ticket", "join", "admit"]
    assert {progress.state for progress in heard} == {"begun", "done"}
    assert operations.create(options).outcome is Outcome.UNCHANGED

    before = project.file.read_text(encoding="utf-8")
    planned = operations.scale(project.options(dry_run=True), "worker", 3)
    assert planned.outcome is Outcome.PLANNED
    assert planned.edits == ("workers.worker.count: 2 → 3",)
    assert planned.ticket
    assert [node.node for node in planned.ticket.nodes] == ["load-balancer", "worker-2"]
    declined = operations.scale(project.options(confirm=lambda ticket: False), "worker", 3)
    assert declined.outcome is Outcome.DECLINED
    assert project.file.read_text(encoding="utf-8") == before

    scaled = operations.scale(options, "worker", 3)
    assert actions(scaled)["worker-2"] == "added"
    assert operations.scale(options, "worker", 3).outcome is Outcome.UNCHANGED

    healed = operations.heal(options, ["worker-1"])
    assert actions(healed)["worker-1"] == "replaced"
    assert phases(healed, "worker-1")[0] == "drain and leave"
    assert operations.heal(options, ["worker-1"], number=1).outcome is Outcome.UNCHANGED

    removed = operations.remove(options, "worker", ["worker-0"])
    assert actions(removed)["worker-0"] == "removed"
    assert operations.remove(options, "worker", ["worker-0"]).outcome is Outcome.UNCHANGED

    drawn = operations.picture(options)
    assert [[box.node for box in tier] for tier in drawn.tiers] == [
        ["load-balancer"],
        ["control-plane-0"],
        ["worker-1", "worker-2"],
    ]

    heard.clear()
    gone = operations.destroy(project.options(on_progress=heard.append))
    assert gone.outcome is Outcome.DONE
    assert "delete machine" in phases(gone, "worker-1")
    assert not [made for made in heard if "leave" in made.phase], "nobody leaves when everybody goes"
    assert gone.ticket
    assert "control-plane-0-state" in gone.ticket.dangers[0].text
    assert operations.destroy(options).outcome is Outcome.UNCHANGED


def test_an_operation_that_failed_goes_on_with_the_same_call(project: Project) -> None:
    options = project.options()
    project.stands(cluster())
    faults = project.directory / "faults"
    faults.write_text("create worker-1-join")
    with pytest.raises(OperationFailedError) as raised:
        operations.heal(options, ["worker-1"])
    assert "failed at worker-1: join" in str(raised.value)
    assert "the stack file keeps: workers.worker.heal.worker-1" in str(raised.value)
    assert raised.value.result.outcome is Outcome.FAILED
    assert raised.value.code is Exit.FAILED

    faults.write_text("")
    done = operations.heal(options, ["worker-1"])
    assert done.outcome is Outcome.DONE
    assert done.edits == ()
    assert phases(done, "worker-1")[-2:] == ["join", "admit"]
    assert "worker-1: 1" in project.file.read_text(encoding="utf-8")


def test_what_the_cluster_would_not_survive_is_refused_and_the_file_is_left_alone(project: Project) -> None:
    project.stands(cluster(count=3))
    options = project.options()
    before = project.file.read_text(encoding="utf-8")
    with pytest.raises(LifecycleError, match="etcd needs") as raised:
        operations.scale(options, "control-plane", 1)
    assert raised.value.code is Exit.REFUSED
    assert project.file.read_text(encoding="utf-8") == before


def test_a_wrong_passphrase_is_said_and_nothing_is_changed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    before = project.file.read_text(encoding="utf-8")
    monkeypatch.setenv("PULUMI_CONFIG_PASSPHRASE", "wrong")
    with pytest.raises(LifecycleError, match="passphrase") as raised:
        operations.create(project.options())
    assert raised.value.code is Exit.NO_ACCESS
    assert project.file.read_text(encoding="utf-8") == before


def test_a_stack_that_the_backend_does_not_know_is_named(project: Project) -> None:
    other = project.file.with_name("Pulumi.other.yaml")
    other.write_text(project.file.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(LifecycleError, match="nodewright create --stack other") as raised:
        operations.heal(project.options(stack="other"), ["worker-0"])
    assert raised.value.code is Exit.NO_STACK


def test_after_a_kill_the_same_call_repairs_and_goes_on(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.stands(cluster())
    monkeypatch.setenv("FAKE_STEP_SECONDS", "3")
    child = _start_heal(project)
    _wait_for_call(project, "delete worker-1-member")
    _kill_tree(child)
    monkeypatch.setenv("FAKE_STEP_SECONDS", "0.02")

    engine = Engine.open(project.directory, STACK)
    found = inspect(engine, engine.state())
    assert any("a dead process holds the stack" in line for line in found), found

    done = operations.heal(project.options(), ["worker-1"])
    assert done.outcome is Outcome.DONE
    assert done.repairs[0].startswith("removed the lock of process")
    assert "worker-1: 1" in project.file.read_text(encoding="utf-8")
    assert inspect(engine, engine.state()) == ()
    assert operations.create(project.options()).outcome is Outcome.UNCHANGED


def test_a_lock_of_a_living_process_is_respected_or_waited_for(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.stands(cluster())
    monkeypatch.setenv("FAKE_STEP_SECONDS", "1")
    child = _start_heal(project)
    _wait_for_call(project, "delete worker-1-member")
    with pytest.raises(LifecycleError, match="works on it") as raised:
        operations.scale(project.options(), "worker", 3)
    assert raised.value.code is Exit.BUSY
    done = operations.scale(project.options(wait_s=120), "worker", 3)
    assert done.outcome is Outcome.DONE
    assert child.wait(10) == 0
    assert {"worker-1: 1", "count: 3"} <= {line.strip() for line in project.file.read_text().splitlines()}


def test_an_update_by_hand_is_respected_or_waited_for(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.stands(cluster())
    monkeypatch.setenv("FAKE_STEP_SECONDS", "2")
    project.write(cluster(workers={"heal": {"worker-1": 1}}))
    command = ["pulumi", "up", "--yes", "--skip-preview", "--non-interactive", "--stack", STACK]
    with subprocess.Popen(command, cwd=project.directory, stdout=subprocess.DEVNULL) as by_hand:
        _wait_for_call(project, "delete worker-1-member")
        before = project.file.read_text(encoding="utf-8")
        with pytest.raises(LifecycleError, match=f"process {by_hand.pid} of .* is at work on it") as raised:
            operations.scale(project.options(), "worker", 3)
        assert raised.value.code is Exit.BUSY
        assert project.file.read_text(encoding="utf-8") == before
        assert operations.scale(project.options(wait_s=240), "worker", 3).outcome is Outcome.DONE
        assert by_hand.wait(10) == 0


def _start_heal(project: Project) -> subprocess.Popen[str]:
    program = (
        "from pathlib import Path; from lifecycle import operations as o;"
        f"o.heal(o.Options(stack={STACK!r}, project=Path({str(project.directory)!r})), ['worker-1'])"
    )
    return subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, text=True, start_new_session=True)


def _wait_for_call(project: Project, step: str) -> None:
    """Wait until the update is at work: the engine holds its lock and has this call under way."""
    under_way = project.directory / "under-way"
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        if under_way.exists() and under_way.read_text() == step:
            return
        time.sleep(0.1)
    msg = f"no update came to {step}"
    raise AssertionError(msg)


def _kill_tree(child: subprocess.Popen[str]) -> None:
    """Kill the operation with its engine and plugins, as a machine that loses power does."""
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    time.sleep(0.5)
