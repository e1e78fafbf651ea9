"""How commands fail, all in one `up` that goes on after each failure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.toolchain.command_plugin.conftest import NewStack
from tests.toolchain.command_plugin.sshd import Keys, SshServer, free_port
from tests.toolchain.command_plugin.stack import CommandStack, Run

pytestmark = pytest.mark.engine

SECRET = "hunter2-hunter2-hunter2"
TOKEN = "abcdef.0123456789abcdef"
# Some server's public key.
ECDSA_KEY = (
    "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBMUS2QMedw70HeFaKEY16XR/4eds"
    "r5jwUODKMiI3dgRYIeTkJS0V4z33eUDsofqQKT3V4ufYOjJxEF+OPVjQkOE="
)


@dataclass(frozen=True)
class World:
    stack: CommandStack
    run: Run
    server: SshServer
    other: SshServer

    def error(self, name: str) -> str:
        """Give what the engine says about one resource."""
        heading = f"Command ({name}):"
        diagnostics = self.run.output.split("\nDiagnostics:\n", 1)[1]
        assert heading in diagnostics, self.run.output
        return diagnostics.split(heading, 1)[1].split("\n  command:", 1)[0]


@pytest.fixture(scope="module")
def world(
    new_stack: NewStack, server: SshServer, keys: Keys, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    directory = tmp_path_factory.mktemp("fails")
    # Takes no variables, and is also another machine than the one expected.
    other = SshServer(directory / "other", keys, settings="AcceptEnv NONE")
    other.start()
    try:
        stack = new_stack("fails")
        here = server.connection()
        few = {"dialErrorLimit": 2}
        stack.remote("wrong-key", server.connection(hostKey=other.host_key(), **few), create="true")
        stack.remote("wrong-type", server.connection(hostKey=ECDSA_KEY, **few), create="true")
        stack.remote("no-key", server.connection(hostKey="ssh-ed25519 nonsense"), create="true")
        stack.remote("closed", {**here, "port": free_port(), "dialErrorLimit": 3}, create="true")
        bastion = {**here, "port": free_port(), "dialErrorLimit": 1}
        stack.remote("closed-bastion", server.connection(proxy=bastion), create="true")
        stack.remote("no-login", other.connection(privateKey=None, **few), create="true")
        stack.remote("dropped", here, create="echo before; kill -9 $PPID; sleep 60")
        stack.remote("status", here, create="echo out; echo err >&2; exit 3", logging="none")
        script = (
            f"export JOIN_TOKEN='{TOKEN}'\nexport API_PASSWORD={SECRET}\nset -x\necho $API_PASSWORD $JOIN_TOKEN\nexit 4"
        )
        stack.remote("secret-stdin", here, create="bash -s step", stdin={"secret": script})
        environment = {"WORD": {"secret": SECRET}}
        stack.remote("secret-variable", here, create="echo $WORD; exit 5", environment=environment)
        stack.remote("secret-command", here, create={"secret": f"exit 6 # {SECRET}"})
        stack.remote("long", here, create="seq 100000; exit 7", logging="none")
        stack.remote("refused-variable", other.connection(), create="true", environment={"WORD": "x"})
        stack.local("no-directory", create="true", dir="/does/not/exist")
        stack.local("local-status", create="echo out; exit 8", environment={"WORD": {"secret": SECRET}})
        yield World(stack, stack.up("--continue-on-error"), server, other)
    finally:
        other.stop()


def test_nothing_that_failed_is_in_the_state(world: World) -> None:
    assert not world.run.ok
    assert world.stack.commands() == set()


def test_another_host_key_is_refused(world: World) -> None:
    error = world.error("wrong-key")
    assert "after 2 failed attempts: ssh: handshake failed: ssh: host key mismatch" in error
    assert f"127.0.0.1:{world.server.port} answers with ssh-ed25519 SHA256:" in error
    assert ", expected ssh-ed25519 SHA256:" in error


def test_a_server_without_the_expected_type_of_key_is_refused(world: World) -> None:
    assert "host key mismatch" in world.error("wrong-type")
    assert "expected ecdsa-sha2-nistp256 SHA256:" in world.error("wrong-type")


def test_a_host_key_that_is_none_is_said(world: World) -> None:
    assert f"reading hostKey of 127.0.0.1:{world.server.port}" in world.error("no-key")


def test_dialling_ends_at_its_limit(world: World) -> None:
    assert "after 3 failed attempts: dial tcp 127.0.0.1:" in world.error("closed")
    assert "connection refused" in world.error("closed")


def test_an_error_of_the_bastion_is_said_to_be_its(world: World) -> None:
    assert "proxy: after 1 failed attempts: dial tcp 127.0.0.1:" in world.error("closed-bastion")


def test_a_login_that_is_refused_ends(world: World) -> None:
    assert "unable to authenticate" in world.error("no-login")


def test_a_lost_connection_is_an_error(world: World) -> None:
    assert f"the connection to 127.0.0.1:{world.server.port} was lost" in world.error("dropped")
    assert "before" in world.error("dropped")


def test_an_exit_status_comes_with_command_and_output(world: World) -> None:
    error = world.error("status")
    assert 'Process exited with status 3: running "echo out; echo err >&2; exit 3":' in error
    assert "out" in error
    assert "err" in error


@pytest.mark.parametrize("name", ["secret-stdin", "secret-variable", "secret-command"])
def test_a_failure_shows_what_failed_but_no_secret(world: World, name: str) -> None:
    assert "Process exited with status" in world.error(name)
    assert "[secret]" in world.error(name)


def test_no_secret_is_on_the_console(world: World) -> None:
    assert SECRET not in world.run.output
    assert TOKEN not in world.run.output


def test_long_output_is_shown_from_its_end(world: World) -> None:
    error = world.error("long")
    assert "only the end of the output is shown" in error
    assert "100000" in error
    assert len(error) < 1_000_000


def test_a_refused_variable_is_named(world: World) -> None:
    assert 'setting environment variable "WORD": refused by the SSH server' in world.error("refused-variable")
    assert "AcceptEnv" in world.error("refused-variable")


def test_local_failures_are_said(world: World) -> None:
    assert "/does/not/exist" in world.error("no-directory")
    assert 'exit status 8: running "echo out; exit 8":' in world.error("local-status")


def test_what_only_the_official_plugin_serves_is_said(new_stack: NewStack, server: SshServer) -> None:
    stack = new_stack("copy")
    stack.copy("copy", server.connection(), "copy-file", local_path="/dev/null", remote_path="/tmp/never")
    refused = stack.up()
    assert not refused.ok
    assert "command:remote:CopyFile is not served by this stand-in" in refused.output
    assert "pulumi plugin install resource command" in refused.output
