"""What the plugin can do, all in one `up` against real SSH servers."""

from __future__ import annotations

import hashlib
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.toolchain.command_plugin.conftest import NewStack
from tests.toolchain.command_plugin.sshd import PASSPHRASE, Keys, SshAgent, SshServer
from tests.toolchain.command_plugin.stack import PLUGIN_VERSION, CommandStack, Run, call_go

pytestmark = pytest.mark.engine

MANY = 50
# Every byte that a string of the engine's protocol can hold, and some that need two to four.
BINARY = "".join(map(chr, range(256))) * 300 + "\u20ac\U0001f680\0\r\n"
SECRET = "correct-horse-battery-staple"


@dataclass(frozen=True)
class World:
    stack: CommandStack
    run: Run
    server: SshServer
    bastion: SshServer
    bastion_log: Path


@pytest.fixture(scope="module")
def world(
    new_stack: NewStack, server: SshServer, keys: Keys, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    directory = tmp_path_factory.mktemp("works")
    bastion = SshServer(directory / "bastion", keys)
    late = SshServer(directory / "late", keys)
    agent = SshAgent(directory, keys.agent)
    (directory / "many").mkdir()
    bastion.start()
    try:
        stack = new_stack("works")
        here = server.connection()
        stack.remote("binary", here, create="sha256sum", stdin=BINARY)
        stack.remote("not-text", here, create="printf 'a\\377b'")
        stack.remote("environment", here, create='echo "$ONE+$TWO"', environment={"ONE": "1 2", "TWO": "$x"})
        stack.remote("line-ends", here, create="printf 'one\\n\\n'; printf 'two\\n' >&2")
        stack.remote("nothing", here)
        for number in range(MANY):
            meet = f"touch {number}; until [ $(ls | wc -l) = {MANY} ]; do sleep 0.2; done"
            stack.remote(f"many-{number}", here, create=f"cd {directory}/many && {meet}; echo {number}")
        stack.remote("rsa", server.connection(hostKey=server.host_key("rsa")), create="echo pinned")
        stack.remote("unpinned", server.connection(hostKey=None), create="echo trusting")
        through = server.connection(proxy=bastion.connection())
        stack.remote("behind", through, create="echo $SSH_CONNECTION")
        encrypted = {"privateKey": keys.encrypted.read_text(), "privateKeyPassword": PASSPHRASE}
        stack.remote("encrypted", server.connection(**encrypted), create="echo opened")
        by_agent = server.connection(privateKey=None, agentSocketPath=str(agent.socket))
        stack.remote("agent", by_agent, create="echo agreed")
        stack.remote("late", late.connection(dialErrorLimit=-1), create="echo patient")
        secretly = {
            "stdin": {"secret": f"export JOIN_PASSWORD='{SECRET}'\necho told $JOIN_PASSWORD"},
            "create": "bash -s told",
        }
        stack.remote("secret", here, {"additional_secret_outputs": ["stdout"]}, **secretly)
        stack.local("local", create="cat; echo $WHO; pwd", stdin="in ", environment={"WHO": "me"}, dir="/")
        files = {"asset_paths": ["*.txt", "!no*"], "archive_paths": ["**.txt"]}
        (directory / "files" / "below").mkdir(parents=True)
        stack.local("files", create="touch a.txt no.txt below/b.txt", dir=str(directory / "files"), **files)
        stack.local("interpreter", create="print(6 * 7)", interpreter=["python3", "-c"])
        run = stack.up(meanwhile=lambda: threading.Timer(5, late.start).start())
        yield World(stack, run, server, bastion, directory / "bastion" / "log")
    finally:
        agent.stop()
        bastion.stop()
        late.stop()


def test_up_succeeds_without_a_warning(world: World) -> None:
    assert world.run.ok, world.run.output
    assert "warning" not in world.run.output


def test_binary_stdin_arrives_whole(world: World) -> None:
    assert world.stack.stdout("binary").split()[0] == hashlib.sha256(BINARY.encode()).hexdigest()


def test_output_that_is_no_text_does_not_lose_the_result(world: World) -> None:
    assert world.stack.stdout("not-text") == "a\ufffdb"


def test_environment_arrives_as_written(world: World) -> None:
    assert world.stack.stdout("environment") == "1 2+$x"


def test_one_line_end_is_taken_off(world: World) -> None:
    outputs = world.stack.outputs("line-ends")
    assert (outputs["stdout"], outputs["stderr"]) == ("one\n", "two")


def test_a_resource_without_commands_does_nothing(world: World) -> None:
    assert world.stack.stdout("nothing") == ""


def test_fifty_commands_run_at_once(world: World) -> None:
    # Each waited until all had begun.
    assert [world.stack.stdout(f"many-{number}") for number in range(MANY)] == [str(number) for number in range(MANY)]


def test_a_pinned_key_of_any_type_is_found(world: World) -> None:
    assert world.stack.stdout("rsa") == "pinned"


def test_without_a_host_key_any_server_is_accepted(world: World) -> None:
    assert world.stack.stdout("unpinned") == "trusting"


def test_a_bastion_is_gone_through(world: World) -> None:
    assert world.stack.stdout("behind").split()[3] == str(world.server.port)
    assert "Accepted publickey" in world.bastion_log.read_text()


def test_an_encrypted_key_is_opened(world: World) -> None:
    assert world.stack.stdout("encrypted") == "opened"


def test_an_agent_is_asked(world: World) -> None:
    assert world.stack.stdout("agent") == "agreed"


def test_a_server_that_comes_late_is_waited_for(world: World) -> None:
    assert world.stack.stdout("late") == "patient"


def test_secrets_are_neither_shown_nor_kept_plain(world: World, keys: Keys) -> None:
    seen = world.run.output + world.stack.state()
    for secret in (SECRET, PASSPHRASE, keys.plain.read_text().splitlines()[2]):
        assert secret not in seen


def test_connections_are_closed(world: World) -> None:
    deadline = time.monotonic() + 5
    while _sessions(world.server, world.bastion) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert _sessions(world.server, world.bastion) == []


def test_local_commands_have_their_own_inputs(world: World) -> None:
    assert world.stack.stdout("local") == "in me\n/"
    assert world.stack.stdout("interpreter") == "42"


def test_local_files_are_collected(world: World) -> None:
    outputs = world.stack.outputs("files")
    assert set(outputs["assets"]) == {"a.txt"}
    assert set(outputs["archive"]["assets"]) == {"a.txt", "no.txt", "below/b.txt"}


def test_nothing_is_to_do_afterwards(world: World) -> None:
    again = world.stack.preview_again()
    assert again.ok, again.output


def test_it_says_who_it_is(world: World) -> None:
    plugin = world.stack.plugin
    started = subprocess.Popen([plugin], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert started.stdout is not None
        assert reported_version(int(started.stdout.readline())) == PLUGIN_VERSION
    finally:
        started.terminate()
        started.communicate()


def reported_version(port: int) -> str:
    import grpc
    from google.protobuf import empty_pb2
    from pulumi.runtime.proto import provider_pb2_grpc

    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        answer = provider_pb2_grpc.ResourceProviderStub(channel).GetPluginInfo(empty_pb2.Empty())
        return str(answer.version)


def test_unit_tests_pass() -> None:
    for command in (["vet", "./..."], ["test", "-timeout=60s", "./..."]):
        done = call_go(*command)
        assert done.returncode == 0, done.stdout + done.stderr


def _sessions(*servers: SshServer) -> list[str]:
    ports = {f":{server.port:04X}" for server in servers}
    established = "01"
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [fields[1] for fields in lines if fields[1][-5:] in ports and fields[3] == established]
