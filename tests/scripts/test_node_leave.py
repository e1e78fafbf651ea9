"""node-leave with a real API server and a real etcd."""

import re
import subprocess
import time

import pytest

from tests.scripts.kubernetes import DEAD, HANGING, LIVING, STEWARD, Cluster
from tests.scripts.rendering import step

BUDGET = """\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: {name}}}
spec: {{minAvailable: 1, selector: {{matchLabels: {{app: {name}}}}}}}
"""


def leave(
    cluster: Cluster, name: str, *, address: str = LIVING, role: str = "worker", policy: str = "fail", timeout: int = 3
) -> "subprocess.CompletedProcess[str]":
    return cluster.machine.run(
        step(
            "node-leave",
            NODE_NAME=name,
            ROLE=role,
            NODE_IP=address,
            DRAIN_GRACE_S="0",
            DRAIN_TIMEOUT_S=str(timeout),
            DRAIN_POLICY=policy,
        )
    )


def names(cluster: Cluster, what: str) -> str:
    return cluster.kubectl(f"get {what} --output name")


def add_pod_behind_budget(cluster: Cluster, name: str, node: str) -> None:
    cluster.add_pod(name, node, app=name)
    cluster.kubectl("apply -f -", BUDGET.format(name=name))
    healthy = "{.status.currentHealthy}"
    cluster.kubectl(f"wait poddisruptionbudget/{name} --for=jsonpath='{healthy}'=1 --timeout=20s")


def test_living_node_is_drained_and_removed(cluster: Cluster) -> None:
    cluster.add_node("leave-0")
    cluster.add_pod("leave-0", "leave-0")
    done = leave(cluster, "leave-0")
    assert (done.stdout, done.returncode) == ("changed\n", 0), done.stderr
    assert "node/leave-0" not in names(cluster, "nodes")
    assert "pod/leave-0" not in names(cluster, "pods")
    again = leave(cluster, "leave-0")
    assert (again.stdout, again.returncode) == ("unchanged\n", 0), again.stderr


def test_budget_that_blocks_is_named_and_the_node_stays_open(cluster: Cluster) -> None:
    cluster.add_node("leave-1")
    add_pod_behind_budget(cluster, "leave-1", "leave-1")
    done = leave(cluster, "leave-1")
    assert done.returncode == 1
    assert re.search(r"default +leave-1 +ConfigMap", done.stderr)
    assert "budget default/leave-1 allows no disruption" in done.stderr
    node = cluster.get("node leave-1")
    assert not node["spec"].get("unschedulable")
    assert "nodewright.dev/leaving" not in node["metadata"].get("annotations", {})


def test_pod_without_an_owner_is_named(cluster: Cluster) -> None:
    cluster.add_node("leave-2")
    cluster.add_pod("leave-2", "leave-2", owned=False)
    done = leave(cluster, "leave-2")
    assert done.returncode == 1
    assert "leave-2" in done.stderr
    assert "pod/leave-2" in names(cluster, "pods")


def test_policy_force_ends_what_a_budget_protects(cluster: Cluster) -> None:
    cluster.add_node("leave-3")
    add_pod_behind_budget(cluster, "leave-3", "leave-3")
    done = leave(cluster, "leave-3", policy="force")
    assert (done.stdout, done.returncode) == ("changed\n", 0), done.stderr
    assert "node/leave-3" not in names(cluster, "nodes")


def test_policy_skip_does_not_drain(cluster: Cluster) -> None:
    cluster.add_node("leave-4")
    add_pod_behind_budget(cluster, "leave-4", "leave-4")
    done = leave(cluster, "leave-4", policy="skip")
    assert (done.stdout, done.returncode) == ("changed\n", 0), done.stderr
    assert "evicting" not in done.stderr


@pytest.mark.parametrize(("name", "address"), [("leave-5", DEAD), ("leave-7", HANGING)], ids=["dead", "hanging"])
def test_node_that_does_not_answer_is_given_up_in_bounded_time_in_spite_of_a_budget(
    cluster: Cluster, name: str, address: str
) -> None:
    cluster.add_node(name)
    add_pod_behind_budget(cluster, name, name)
    began = time.monotonic()
    done = leave(cluster, name, address=address, timeout=600)
    assert (done.stdout, done.returncode) == ("changed\n", 0), done.stderr
    assert time.monotonic() - began < 40
    assert f"node/{name}" not in names(cluster, "nodes")


def test_node_cordoned_by_hand_stays_cordoned_when_its_leave_fails(cluster: Cluster) -> None:
    cluster.add_node("leave-6")
    add_pod_behind_budget(cluster, "leave-6", "leave-6")
    cluster.kubectl("cordon leave-6")
    assert leave(cluster, "leave-6").returncode == 1
    assert cluster.get("node leave-6")["spec"]["unschedulable"] is True


def test_only_control_plane_is_left_alone(cluster: Cluster) -> None:
    done = leave(cluster, STEWARD, role="control-plane")
    assert (done.stdout, done.returncode) == ("unchanged\n", 0), done.stderr


def test_etcd_member_goes_with_its_node_while_the_others_have_quorum(cluster: Cluster) -> None:
    cluster.add_node("control-plane-1", ready=False)
    cluster.add_member("control-plane-1", DEAD)
    assert len(cluster.members()) == 2
    done = leave(cluster, "control-plane-1", role="control-plane", address=DEAD)
    assert (done.stdout, done.returncode) == ("changed\n", 0), done.stderr
    assert len(cluster.members()) == 1
    assert "node/control-plane-1" not in names(cluster, "nodes")
