"""The program is killed, again and again; the same call goes on each time and nothing is left over.

Kills in the middle of a heal are in `test_operations`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import openstack
import pytest

from lifecycle.errors import Exit
from tests.lab.belongings import held, known
from tests.lab.operations_project import OperatedCluster

pytestmark = [pytest.mark.lab, pytest.mark.long]

STACK = "kills"
NEW = "1.34.5"
UPGRADE = ("upgrade", NEW, "--image", f"node-{NEW}", "--yes")


@pytest.fixture(scope="module")
def cluster(lab: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OperatedCluster]:
    made = OperatedCluster(tmp_path_factory.mktemp("kills"), STACK, "10.64.0.0/24")
    try:
        yield made
    finally:
        gone = made.run("destroy", "--yes", "--wait")
        assert gone.code == Exit.DONE, gone.errors


def goes_on(cluster: OperatedCluster, *words: str) -> None:
    """The same call once more is what anybody would do."""
    again = cluster.run(*words)
    assert again.code == Exit.DONE, f"{again.last.get('text')}\n{again.errors}"
    assert any("removed the lock" in line for line in again.last["repairs"]), again.last


def test_a_creation_that_was_killed_can_be_destroyed(
    cluster: OperatedCluster, cloud: openstack.connection.Connection
) -> None:
    cluster.kill_in_the_middle("begin cluster", "create", "--yes")
    goes_on(cluster, "destroy", "--yes")
    assert held(cloud, STACK) == set()
    assert list(cloud.network.networks(name=STACK)) == []


@pytest.mark.parametrize("phase", ["make router interface network", "make machine", "take ticket", "join"])
def test_killed_while_it_creates(cluster: OperatedCluster, phase: str) -> None:
    """Each kill is of a creation that goes on from the one before; the last one is made whole."""
    cluster.kill_in_the_middle(phase, "create", "--yes")


def test_the_creation_is_made_whole(cluster: OperatedCluster, cloud: openstack.connection.Connection) -> None:
    goes_on(cluster, "create", "--yes")
    is_whole(cluster, cloud, "worker-0")


@pytest.mark.parametrize("phase", ["make machine", "admit"])
def test_killed_while_it_scales_out(
    cluster: OperatedCluster, cloud: openstack.connection.Connection, phase: str
) -> None:
    cluster.kill_in_the_middle(phase, "scale", "worker", "2", "--yes")
    goes_on(cluster, "scale", "worker", "2", "--yes")
    is_whole(cluster, cloud, "worker-0", "worker-1")
    back_to_one(cluster, cloud)


@pytest.mark.parametrize("phase", ["drain and leave", "delete machine"])
def test_killed_while_it_scales_in(
    cluster: OperatedCluster, cloud: openstack.connection.Connection, phase: str
) -> None:
    two = cluster.run("scale", "worker", "2", "--yes")
    assert two.code == Exit.DONE, two.errors
    cluster.kill_in_the_middle(phase, "scale", "worker", "1", "--yes")
    goes_on(cluster, "scale", "worker", "1", "--yes")
    is_whole(cluster, cloud, "worker-0")


@pytest.mark.parametrize("phase", ["make machine", "drain and leave"])
def test_killed_while_it_upgrades(cluster: OperatedCluster, phase: str) -> None:
    """First while the control plane has no machine, then while the worker is on its way out."""
    cluster.kill_in_the_middle(phase, *UPGRADE)


def test_the_upgrade_is_made_whole(cluster: OperatedCluster, cloud: openstack.connection.Connection) -> None:
    goes_on(cluster, *UPGRADE)
    is_whole(cluster, cloud, "worker-0")
    assert {node.version for node in cluster.live().nodes.values()} == {NEW}


def back_to_one(cluster: OperatedCluster, cloud: openstack.connection.Connection) -> None:
    one = cluster.run("scale", "worker", "1", "--yes")
    assert one.code == Exit.DONE, one.errors
    is_whole(cluster, cloud, "worker-0")


def is_whole(cluster: OperatedCluster, cloud: openstack.connection.Connection, *workers: str) -> None:
    """Nodes are those wished for and serve, the cloud holds what the engine knows, nothing is left to do."""
    nodes = cluster.live().nodes
    assert set(nodes) == {"control-plane-0", *workers}
    assert all(node.ready for node in nodes.values())
    exported = json.loads(cluster.pulumi("stack", "export"))
    assert held(cloud, STACK) == known(exported["deployment"])
    assert cluster.run("create", "--yes").last["outcome"] == "unchanged"
    assert cluster.run("status").last["healthy"]
