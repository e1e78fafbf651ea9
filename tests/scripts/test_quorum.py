"""node-leave and the quorum of what remains, with a member list as etcd prints it."""

import subprocess

import pytest

from tests.scripts.rendering import step_in
from tests.scripts.sandbox import Sandbox

MEMBERS = "".join(
    f"{number}a,started,control-plane-{number},https://192.0.2.{number}:2380,https://192.0.2.{number}:2379,false\n"
    for number in range(3)
)
ETCD = """
use_api() { :; }
etcd_members() { printf '%s' "$MEMBERS"; }
etcd_healthy() { [[ " $HEALTHY " == *" $1 "* ]]; }
kubectl() { :; }
etcd_at() { echo "etcd: ${*:2}" >&2; }
"""


def leave(sandbox: Sandbox, name: str, healthy: tuple[int, ...]) -> "subprocess.CompletedProcess[str]":
    variables = {
        "NODE_NAME": name,
        "ROLE": "control-plane",
        "NODE_IP": f"192.0.2.{name[-1]}",
        "DRAIN_GRACE_S": "0",
        "DRAIN_TIMEOUT_S": "1",
        "DRAIN_POLICY": "fail",
        "MEMBERS": MEMBERS,
        "HEALTHY": " ".join(f"https://192.0.2.{number}:2379" for number in healthy),
    }
    return sandbox.run(step_in(ETCD, "node-leave", **variables))


@pytest.mark.parametrize("healthy", [(0, 1, 2), (0, 2)], ids=["all live", "the one that leaves is dead"])
def test_member_leaves_when_the_others_are_healthy(sandbox: Sandbox, healthy: tuple[int, ...]) -> None:
    done = leave(sandbox, "control-plane-1", healthy)
    assert (done.stdout, done.returncode) == ("changed\n", 0), done.stderr
    assert "etcd: member remove 1a" in done.stderr


@pytest.mark.parametrize("healthy", [(0, 1), (0,)], ids=["another is dead", "both others needed"])
def test_leave_that_would_lose_quorum_is_refused_with_the_numbers(sandbox: Sandbox, healthy: tuple[int, ...]) -> None:
    done = leave(sandbox, "control-plane-1", healthy)
    assert done.returncode == 1
    assert "of the 2 other etcd members only 1 are healthy, and 2 are needed; nothing was changed" in done.stderr
    assert "member remove" not in done.stderr
