"""node-admit with a real API server."""

import subprocess

from tests.scripts.kubernetes import Cluster
from tests.scripts.rendering import step


def admit(
    cluster: Cluster, name: str, *, labels: str = "", taints: str = "", role: str = "worker"
) -> "subprocess.CompletedProcess[str]":
    return cluster.machine.run(
        step("node-admit", NODE_NAME=name, ROLE=role, LABELS=labels, TAINTS=taints, READY_TIMEOUT_S="5")
    )


def test_node_gets_its_role_labels_and_taints_once(cluster: Cluster) -> None:
    cluster.add_node("admit-0")
    wanted = {"labels": "disk=ssd zone=", "taints": "only=gpu:NoSchedule empty:NoExecute"}
    first = admit(cluster, "admit-0", **wanted)
    assert (first.stdout, first.returncode) == ("changed\n", 0), first.stderr
    node = cluster.get("node admit-0")
    labels = node["metadata"]["labels"]
    assert (labels["disk"], labels["zone"], labels["node-role.kubernetes.io/worker"]) == ("ssd", "", "")
    taints = {(taint["key"], taint.get("value", ""), taint["effect"]) for taint in node["spec"]["taints"]}
    assert {("only", "gpu", "NoSchedule"), ("empty", "", "NoExecute")} <= taints
    second = admit(cluster, "admit-0", **wanted)
    assert (second.stdout, second.returncode) == ("unchanged\n", 0), second.stderr


def test_what_is_no_longer_wanted_goes_and_what_others_gave_stays(cluster: Cluster) -> None:
    cluster.add_node("admit-1")
    admit(cluster, "admit-1", labels="ours=1 other=2", taints="ours=1:NoSchedule")
    cluster.kubectl("label node admit-1 theirs=1")
    cluster.kubectl("taint node admit-1 theirs=1:NoSchedule")
    done = admit(cluster, "admit-1", labels="other=3")
    assert done.stdout == "changed\n", done.stderr
    node = cluster.get("node admit-1")
    assert "ours" not in node["metadata"]["labels"]
    assert node["metadata"]["labels"]["other"] == "3"
    assert node["metadata"]["labels"]["theirs"] == "1"
    keys = {taint["key"] for taint in node["spec"]["taints"]}
    assert "theirs" in keys
    assert "ours" not in keys
    assert admit(cluster, "admit-1", labels="other=3").stdout == "unchanged\n"


def test_node_that_is_not_ready_is_not_admitted(cluster: Cluster) -> None:
    cluster.add_node("admit-2", ready=False)
    done = admit(cluster, "admit-2")
    assert done.returncode == 1
    assert "admitting admit-2: not Ready after 5 s: said the test" in done.stderr


def test_absent_node_is_waited_for_and_named(cluster: Cluster) -> None:
    done = admit(cluster, "admit-nobody")
    assert done.returncode == 1
    assert "admitting admit-nobody" in done.stderr


def test_node_closed_by_an_unfinished_leave_takes_pods_again(cluster: Cluster) -> None:
    cluster.add_node("admit-3")
    admit(cluster, "admit-3")
    cluster.kubectl("annotate node admit-3 nodewright.dev/leaving=cordoned")
    cluster.kubectl("cordon admit-3")
    assert admit(cluster, "admit-3").stdout == "changed\n"
    assert not cluster.get("node admit-3")["spec"].get("unschedulable")


def test_node_cordoned_by_hand_stays_cordoned(cluster: Cluster) -> None:
    cluster.add_node("admit-4")
    admit(cluster, "admit-4")
    cluster.kubectl("cordon admit-4")
    assert admit(cluster, "admit-4").stdout == "unchanged\n"
    assert cluster.get("node admit-4")["spec"]["unschedulable"] is True
