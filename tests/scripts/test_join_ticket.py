"""join-ticket with a real API server and a real etcd."""

import json
import re
import subprocess

from tests.scripts.kubernetes import ADDRESS, DEAD, LIVING, VERSION, Cluster
from tests.scripts.rendering import step


def ticket(
    cluster: Cluster, name: str, *, address: str = DEAD, role: str = "worker", version: str = VERSION
) -> "subprocess.CompletedProcess[str]":
    return cluster.machine.run(
        step("join-ticket", NODE_NAME=name, ROLE=role, NODE_IP=address, KUBERNETES_VERSION=version)
    )


def test_ticket_for_a_worker_says_all_it_needs(cluster: Cluster) -> None:
    done = ticket(cluster, "ticket-0")
    assert done.returncode == 0, done.stderr
    given = json.loads(done.stdout)
    assert re.fullmatch(r"[a-z0-9]{6}\.[a-z0-9]{16}", given["token"])
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", given["ca_hash"])
    assert given["certificate_key"] == ""
    assert given["endpoint"] == f"{ADDRESS}:6443"
    assert given["token"] not in done.stderr
    expiry = cluster.machine.shell("kubeadm token list --kubeconfig /etc/kubernetes/admin.conf")
    assert re.search(rf"{given['token']}\s+(29m|30m)\s.*nodewright: ticket-0 joins", expiry)


def test_ticket_for_a_control_plane_opens_the_certificates(cluster: Cluster) -> None:
    done = ticket(cluster, "control-plane-5", role="control-plane")
    assert done.returncode == 0, done.stderr
    key = json.loads(done.stdout)["certificate_key"]
    assert re.fullmatch(r"[0-9a-f]{64}", key)
    assert key not in done.stderr
    assert cluster.get("secret kubeadm-certs --namespace kube-system")["data"]["ca.key"]
    assert cluster.machine.shell("ls /run/nodewright | grep -v lock || true") == ""


def test_stale_node_and_announced_member_are_cleared(cluster: Cluster) -> None:
    cluster.add_node("control-plane-2", ready=False)
    cluster.add_member("control-plane-2", DEAD)
    assert len(cluster.members()) == 2
    done = ticket(cluster, "control-plane-2", role="control-plane")
    assert done.returncode == 0, done.stderr
    assert len(cluster.members()) == 1
    assert "control-plane-2" not in cluster.kubectl("get nodes")


def test_living_node_is_not_touched(cluster: Cluster) -> None:
    cluster.add_node("ticket-1")
    done = ticket(cluster, "ticket-1", address=LIVING)
    assert done.returncode == 0, done.stderr
    assert "ticket-1" in cluster.kubectl("get nodes")


def test_newer_control_plane_raises_the_version_and_an_older_one_does_not(cluster: Cluster) -> None:
    def version() -> str:
        text: str = cluster.get("configmap kubeadm-config --namespace kube-system")["data"]["ClusterConfiguration"]
        found = re.search(r"kubernetesVersion: v(.*)", text)
        assert found
        return found.group(1)

    assert ticket(cluster, "control-plane-3", role="control-plane", version="1.34.5").returncode == 0
    assert version() == "1.34.5"
    assert ticket(cluster, "control-plane-3", role="control-plane", version=VERSION).returncode == 0
    assert version() == "1.34.5"
