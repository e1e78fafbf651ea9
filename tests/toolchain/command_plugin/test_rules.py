"""When which command runs, where, and how a running one is ended."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.toolchain.command_plugin.conftest import NewStack
from tests.toolchain.command_plugin.sshd import Keys, SshServer

pytestmark = pytest.mark.engine


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "journal"
    path.touch()
    return path


@pytest.fixture
def moved(tmp_path: Path, keys: Keys) -> Iterator[SshServer]:
    server = SshServer(tmp_path / "moved", keys)
    server.start()
    yield server
    server.stop()


def note(journal: Path, word: str) -> str:
    """Give a command line that notes that it ran, on which server, and what came before."""
    return f'set -- $SSH_CONNECTION; echo "{word} ${{4:-local}} [$PULUMI_COMMAND_STDOUT]" | tee -a {journal}'


def steps(journal: Path, *words: str) -> dict[str, str]:
    return {step: note(journal, f"{words[0]}-{step}") for step in words[1:]}


def taken(journal: Path) -> set[str]:
    lines = set(journal.read_text().splitlines())
    journal.write_text("")
    return lines


def test_commands_run_by_the_rules_of_the_original(
    new_stack: NewStack, server: SshServer, moved: SshServer, journal: Path
) -> None:
    stack = new_stack("rules")
    old, new = server.port, moved.port

    def declare(connection: dict[str, object], stdin: str, mode: str) -> None:
        stack.remote("full", connection, stdin=stdin, **steps(journal, "full", "create", "update", "delete"))
        stack.remote("bare", connection, stdin=stdin, **steps(journal, "bare", "create"))
        quiet = {"add_previous_output_in_env": False}
        stack.remote("quiet", connection, stdin=stdin, **quiet, **steps(journal, "quiet", "create", "update"))
        stack.remote("logs", server.connection(), logging=mode, **steps(journal, "logs", "create", "update"))
        stack.local("local", stdin=stdin, **steps(journal, "local", "create", "update", "delete"))

    declare(server.connection(), "one", "stdout")
    created = stack.up()
    assert created.ok, created.output
    assert taken(journal) == {
        f"full-create {old} []",
        f"bare-create {old} []",
        f"quiet-create {old} []",
        f"logs-create {old} []",
        "local-create local []",
    }

    # Another content, another connection and another way of logging are all updates.
    declare(moved.connection(), "two", "none")
    updated = stack.up()
    assert updated.ok, updated.output
    assert taken(journal) == {
        f"full-update {new} [full-create {old} []]",
        f"bare-create {new} [bare-create {old} []]",
        f"quiet-update {new} []",
        f"logs-update {old} [logs-create {old} []]",
        "local-update local [local-create local []]",
    }
    assert stack.stdout("full") == f"full-update {new} [full-create {old} []]"

    removed = stack.up()
    assert removed.ok, removed.output
    # Delete goes where the last command went, which only the state still knows.
    assert {line.split(" [")[0] for line in taken(journal)} == {f"full-delete {new}", "local-delete local"}
    assert stack.commands() == set()


def test_triggers_replace_in_the_order_that_is_asked_for(
    new_stack: NewStack, server: SshServer, moved: SshServer, journal: Path
) -> None:
    stack = new_stack("triggers")

    def declare(connection: dict[str, object], trigger: str) -> None:
        for name, options in (("usual", {}), ("first-delete", {"delete_before_replace": True})):
            words = {step: f"{note(journal, f'{name}-{step}')}; sleep 0.2" for step in ("create", "update", "delete")}
            stack.remote(name, connection, options, triggers=[trigger], **words)

    declare(server.connection(), "machine-1")
    created = stack.up()
    assert created.ok, created.output
    journal.write_text("")
    declare(moved.connection(), "machine-2")
    replaced = stack.up()
    assert replaced.ok, replaced.output
    lines = [line.split(" [")[0] for line in journal.read_text().splitlines()]
    old, new = server.port, moved.port
    assert [line for line in lines if line.startswith("usual")] == [f"usual-create {new}", f"usual-delete {old}"]
    assert [line for line in lines if line.startswith("first")] == [
        f"first-delete-delete {old}",
        f"first-delete-create {new}",
    ]


def test_a_failed_update_is_tried_again(new_stack: NewStack, server: SshServer, tmp_path: Path) -> None:
    stack = new_stack("again")
    mended = tmp_path / "mended"
    commands = {"create": "echo one", "update": f"test -e {mended} && echo two"}
    for stdin, works in (("one", True), ("two", False)):
        stack.remote("step", server.connection(), stdin=stdin, **commands)
        assert stack.up().ok == works
    assert stack.stdout("step") == "one"
    mended.touch()
    stack.remote("step", server.connection(), stdin="two", **commands)
    assert stack.up().ok
    assert stack.stdout("step") == "two"


def test_a_cancelled_command_ends(new_stack: NewStack, server: SshServer, tmp_path: Path) -> None:
    stack = new_stack("cancel")
    starts = []
    for name, ending in (("plain", ""), ("stubborn", "trap '' TERM; ")):
        started = tmp_path / name
        starts.append(started)
        script = f"{ending}touch {started}; sleep 600.{len(starts)} & wait; sleep 600.{len(starts)}"
        stack.remote(
            name, server.connection(), create=f"exec -a {started} bash -c '{script.replace(chr(39), chr(34))}'"
        )
    local = tmp_path / "local"
    stack.local("local", create=f"touch {local}; sleep 600.3; true")
    starts.append(local)
    unreachable = server.connection(port=server.port + 1 if server.port < 65535 else 1, dialErrorLimit=-1)
    stack.remote("dialling", unreachable, create="true")

    ended = stack.cancelled_up(when=lambda: all(path.exists() for path in starts), within_s=60)

    assert not ended.ok
    assert ended.seconds < 60
    assert _running("600.1") == _running("600.2") == _running("600.3") == []
    assert "SIGTERM" in ended.output
    assert "SIGKILL" in ended.output
    assert "dialling was cancelled" in ended.output


def _running(duration: str) -> list[str]:
    """List processes that sleep this long, after giving the last ones time to go."""
    for _ in range(20):
        found = subprocess.run(
            ["pgrep", "-f", f"sleep {duration}"], capture_output=True, text=True, check=False
        ).stdout.split()
        if not found:
            break
        time.sleep(0.1)
    return found
