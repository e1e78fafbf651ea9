"""Much output and much input. A stack of its own: the engine writes all of its state after each step."""

from __future__ import annotations

import base64

import pytest

from tests.toolchain.command_plugin.conftest import NewStack
from tests.toolchain.command_plugin.sshd import SshServer

pytestmark = pytest.mark.engine

BIG_BYTES = 10_000_000
LOGGED_BYTES = 200_000
# More than a server takes before somebody reads it.
UNREAD_BYTES = 3_000_000


def test_large_output_and_input_arrive_whole(new_stack: NewStack, server: SshServer) -> None:
    stack = new_stack("large")
    here = server.connection()
    stack.remote("big", here, create=f"head -c {BIG_BYTES // 4 * 3} /dev/zero | base64 -w 0", logging="none")
    stack.remote("lines", here, create=f"head -c {LOGGED_BYTES} /dev/zero | base64 -w 70")
    stack.remote("long-line", here, create=f"head -c {LOGGED_BYTES} /dev/zero | tr '\\0' x; echo done >&2")
    stack.remote("unread", here, create="echo ignored", stdin="x" * UNREAD_BYTES)
    done = stack.up()
    assert done.ok, done.output
    assert stack.stdout("big") == base64.b64encode(bytes(BIG_BYTES // 4 * 3)).decode()
    assert stack.stdout("lines").replace("\n", "") == base64.b64encode(bytes(LOGGED_BYTES)).decode()
    assert stack.stdout("long-line") == "x" * LOGGED_BYTES
    assert stack.outputs("long-line")["stderr"] == "done"
    assert stack.stdout("unread") == "ignored"

    # The last output is too long for a variable of the next run, which runs all the same.
    stack.remote("big", here, create="echo ${#PULUMI_COMMAND_STDOUT}")
    shorter = stack.up()
    assert shorter.ok, shorter.output
    assert stack.stdout("big") == "0"
    assert "the previous output is too long for a variable" in shorter.output
