"""Every verb on a real cluster: it does what its ticket said, and nothing the second time.

One cluster goes through all of it, so the order of the tests matters. Kills of other verbs are in `test_kills`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import openstack
import pytest

from lifecycle.errors import Exit
from lifecycle.live import Live
from tests.lab.belongings import held, known
from tests.lab.operations_project import STACK, OperatedCluster, Run
from tests.lab.states import comparable, differences

pytestmark = [pytest.mark.lab, pytest.mark.long]

FRONT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: front, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: front}}
  template:
    metadata: {labels: {app: front}}
    spec:
      containers: [{name: hello, image: "nodewright.lab/hello:v1", imagePullPolicy: IfNotPresent}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: front, namespace: default}
spec: {minAvailable: 1, selector: {matchLabels: {app: front}}}
"""
OLD, NEW = "1.34.3", "1.34.5"


@pytest.fixture(scope="module")
def cluster(lab: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OperatedCluster]:
    made = OperatedCluster(tmp_path_factory.mktemp("operations"))
    try:
        done(made.run("create", "--yes"))
        made.apply(FRONT)
        wait_for("two pods of front", lambda: len(front(made.live())) == 2)
        yield made
    finally:
        made.run("destroy", "--yes", "--wait")


def done(run: Run, outcome: str = "done") -> Run:
    assert run.code == Exit.DONE, f"{run.last.get('text')}\n{run.errors}"
    assert run.last["outcome"] == outcome, run.last
    return run


def unchanged(run: Run) -> None:
    done(run, "unchanged")


def as_foretold(run: Run) -> Run:
    """Compare what the ticket said with what was done: which machines, what to each, and who waited for whom."""
    foretold = {node["node"]: node["action"] for node in run.ticket["nodes"]}
    assert run.actions() == foretold
    assert not set(run.ticket["untouched"]) & set(foretold)
    for node in run.ticket["nodes"]:
        for earlier in node["after"]:
            assert run.moments(earlier)[1] < run.moments(node["node"])[0], f"{node['node']} did not wait for {earlier}"
    return run


def is_whole(cluster: OperatedCluster, cloud: openstack.connection.Connection) -> None:
    """The cloud holds what the engine knows and nothing else, nodes serve, and nothing is left to do."""
    assert held(cloud, STACK) == known(json.loads(cluster.pulumi("stack", "export"))["deployment"])
    unchanged(cluster.run("create", "--yes"))
    seen = cluster.run("status").last
    assert seen["healthy"], seen


def front(live: Live) -> set[str]:
    return {pod.full_name for pod in live.pods if pod.labels.get("app") == "front"}


def on(live: Live, node: str) -> set[str]:
    return {pod.full_name for pod in live.pods if pod.node == node}


def ticket_of(run: Run, name: str) -> dict[str, Any]:
    (found,) = (node for node in run.ticket["nodes"] if node["node"] == name)
    return dict(found)


def wait_for(what: str, true: Callable[[], bool], timeout_s: float = 180) -> None:
    deadline = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < deadline, f"{what}: not within {timeout_s} s"
        time.sleep(2)


def test_a_second_create_changes_nothing(cluster: OperatedCluster, cloud: openstack.connection.Connection) -> None:
    is_whole(cluster, cloud)


def test_scaling_adds_one_machine_as_the_same_edit_by_hand_does(cluster: OperatedCluster) -> None:
    planned = cluster.run("scale", "worker", "2", "--dry-run")
    assert planned.last["outcome"] == "planned"
    assert "count: 1" in cluster.file.read_text(encoding="utf-8")
    scaled = as_foretold(done(cluster.run("scale", "worker", "2", "--yes")))
    assert scaled.actions()["worker-1"] == "added"
    unchanged(cluster.run("scale", "worker", "2", "--yes"))
    assert cluster.live().nodes["worker-1"].ready
    by_verb = comparable(cluster.pulumi("stack", "export"))

    back = as_foretold(done(cluster.run("scale", "worker", "1", "--yes")))
    assert back.actions()["worker-1"] == "removed"
    unchanged(cluster.run("scale", "worker", "1", "--yes"))
    cluster.edit("count: 1, image: node-1.34.3, flavor: m1.medium}", "count: 2, image: node-1.34.3, flavor: m1.medium}")
    cluster.pulumi("up", "--yes", "--skip-preview")
    assert differences(by_verb, comparable(cluster.pulumi("stack", "export"))) == []
    unchanged(cluster.run("create", "--yes"))


def test_a_heal_moves_the_pods_that_its_ticket_named(cluster: OperatedCluster) -> None:
    before = cluster.live()
    healed = as_foretold(done(cluster.run("heal", "worker-1", "--yes")))
    assert set(ticket_of(healed, "worker-1")["pods"]) == on(before, "worker-1")
    assert ticket_of(healed, "worker-1")["keeps"] == ["address"]
    after = cluster.live()
    assert on(before, "worker-1").isdisjoint({pod.full_name for pod in after.pods})
    assert on(before, "worker-0") <= {pod.full_name for pod in after.pods}, "nobody else's pods moved"
    assert after.nodes["worker-1"].address == before.nodes["worker-1"].address
    unchanged(cluster.run("heal", "worker-1", "--number", "1", "--yes"))


def test_a_heal_by_hand_gives_the_same_state(cluster: OperatedCluster) -> None:
    by_verb = comparable(cluster.pulumi("stack", "export"))
    cluster.edit("worker-1: 1", "worker-1: 2")
    cluster.pulumi("up", "--yes", "--skip-preview")
    assert differences(by_verb, comparable(cluster.pulumi("stack", "export"))) == []
    unchanged(cluster.run("heal", "worker-1", "--number", "2", "--yes"))


@pytest.mark.parametrize("phase", ["drain and leave", "delete machine", "make machine", "join"])
def test_after_a_kill_the_same_heal_goes_on_and_leaves_no_orphan(
    cluster: OperatedCluster, cloud: openstack.connection.Connection, phase: str
) -> None:
    before = set(cluster.live().nodes)
    cluster.kill_in_the_middle(phase, "heal", "worker-0", "--yes")
    seen = cluster.run("status")
    assert seen.last["interrupted"], seen.last
    again = done(cluster.run("heal", "worker-0", "--yes"))
    assert any("removed the lock" in line for line in again.last["repairs"])
    assert again.last["edits"] == [], "a heal that was begun is not begun again"
    assert set(cluster.live().nodes) == before
    is_whole(cluster, cloud)


def test_a_dead_machine_is_found_and_the_proposed_command_mends_it(
    cluster: OperatedCluster, cloud: openstack.connection.Connection
) -> None:
    server = next(
        s
        for s in cloud.compute.servers(details=True)
        if s.name == "worker-1" and f"server {s.id}" in held(cloud, STACK)
    )
    cloud.compute.delete_server(server)
    cloud.compute.wait_for_delete(server)
    seen = cluster.run("status")
    assert seen.code == Exit.FAILED
    (proposal,) = seen.last["proposals"]
    assert proposal["command"] == "nodewright heal worker-1"
    done(cluster.run("heal", "worker-1", "--yes"))
    is_whole(cluster, cloud)


def test_the_only_master_is_healed_and_nothing_is_forgotten(cluster: OperatedCluster) -> None:
    before = cluster.live()
    healed = as_foretold(done(cluster.run("heal", "control-plane-0", "--yes")))
    assert [danger["rule"] for danger in healed.ticket["dangers"]] == ["api-down"]
    assert ticket_of(healed, "control-plane-0")["keeps"] == ["address", "volume control-plane-0-state"]
    after = cluster.live()
    assert front(after) == front(before), "workloads keep running"
    assert after.nodes["control-plane-0"].address == before.nodes["control-plane-0"].address
    unchanged(cluster.run("heal", "control-plane-0", "--number", "1", "--yes"))


def test_the_load_balancer_is_healed_and_is_found_where_it_was(cluster: OperatedCluster) -> None:
    endpoint = cluster.run("status").last["endpoint"]
    healed = as_foretold(done(cluster.run("heal", "load-balancer", "--yes")))
    assert [danger["rule"] for danger in healed.ticket["dangers"]] == ["machine-away"]
    seen = cluster.run("status").last
    assert seen["endpoint"] == endpoint
    assert seen["healthy"], seen
    unchanged(cluster.run("heal", "load-balancer", "--number", "1", "--yes"))


def test_the_lock_of_a_roll_is_respected_and_a_killed_roll_goes_on(
    cluster: OperatedCluster, cloud: openstack.connection.Connection
) -> None:
    with cluster.start("roll", "worker", "--yes") as rolling:
        rolling.wait_for("make machine")
        asked = cluster.file.read_text(encoding="utf-8")
        for words in (("scale", "worker", "3", "--yes"), ("destroy", "--yes")):
            busy = cluster.run(*words)
            assert busy.code == Exit.BUSY, busy.last
            assert f"process {rolling.pid}" in busy.last["text"]
        assert cluster.file.read_text(encoding="utf-8") == asked
        rolling.wait_for("join")
        rolling.kill()
    rolled = as_foretold(done(cluster.run("roll", "worker", "--yes")))
    assert rolled.last["edits"] == [], "a roll that was begun is not begun again"
    assert rolled.actions()["worker-1"] == "replaced"
    unchanged(cluster.run("roll", "worker", "--generation", "1", "--yes"))
    is_whole(cluster, cloud)


def test_an_upgrade_takes_the_control_plane_first(
    cluster: OperatedCluster, cloud: openstack.connection.Connection
) -> None:
    # With one worker only, the budget of `front` would rightly hold the upgrade up.
    assert cluster.run("scale", "worker", "2", "--yes").code == Exit.DONE
    before = cluster.live().nodes
    assert {node.version for node in before.values()} == {OLD}
    upgraded = as_foretold(done(cluster.run("upgrade", NEW, "--image", f"node-{NEW}", "--yes")))
    assert [node for node, action in upgraded.actions().items() if action == "replaced"] == sorted(before)
    after = cluster.live()
    assert {node.version for node in after.nodes.values()} == {NEW}
    assert all(node.ready for node in after.nodes.values())
    wait_for("two pods of front", lambda: len(front(cluster.live())) == 2)
    unchanged(cluster.run("upgrade", NEW, "--image", f"node-{NEW}", "--yes"))
    is_whole(cluster, cloud)
    back = cluster.run("upgrade", OLD, "--yes")
    assert back.code == Exit.REFUSED
    assert "cannot go back" in back.last["text"]


def test_the_chosen_machine_goes_and_nobody_is_renamed(
    cluster: OperatedCluster, cloud: openstack.connection.Connection
) -> None:
    before = cluster.live()
    removed = as_foretold(done(cluster.run("scale", "worker", "--remove", "worker-0", "--yes")))
    assert set(ticket_of(removed, "worker-0")["pods"]) == on(before, "worker-0")
    assert set(cluster.live().nodes) == {"control-plane-0", "worker-1"}
    unchanged(cluster.run("scale", "worker", "--remove", "worker-0", "--yes"))
    is_whole(cluster, cloud)


def test_after_a_destroy_that_was_killed_and_given_again_nothing_is_left(
    cluster: OperatedCluster, cloud: openstack.connection.Connection
) -> None:
    cluster.kill_in_the_middle("delete machine", "destroy", "--yes")
    gone = done(cluster.run("destroy", "--yes"))
    assert any("removed the lock" in line for line in gone.last["repairs"])
    assert not [event for event in gone.events if "leave" in event.get("phase", "")], "nobody leaves when all go"
    assert held(cloud, STACK) == set()
    assert [network.name for network in cloud.network.networks(name=STACK)] == []
    unchanged(cluster.run("destroy", "--yes"))
