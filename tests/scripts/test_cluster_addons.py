"""cluster-addons and kubeconfig-read with a real API server."""

import json
import shlex
import subprocess

from tests.scripts.kubernetes import VERSION, Cluster
from tests.scripts.rendering import step

NETWORK = """\
apiVersion: v1
kind: Namespace
metadata: {{name: demo-network}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: demo, namespace: demo-network}}
data: {{mtu: "{mtu}"}}
"""


def addons(cluster: Cluster, *, version: str = VERSION, mtu: int = 1450) -> "subprocess.CompletedProcess[str]":
    return cluster.machine.run(step("cluster-addons", KUBERNETES_VERSION=version, CNI_MANIFEST=NETWORK.format(mtu=mtu)))


def test_pod_network_is_applied_once_and_again_when_it_changed(cluster: Cluster) -> None:
    assert addons(cluster).stdout == "changed\n"
    assert addons(cluster).stdout == "unchanged\n"
    assert addons(cluster, mtu=1400).stdout == "changed\n"
    assert cluster.get("configmap demo --namespace demo-network")["data"]["mtu"] == "1400"


def test_kube_proxy_is_raised_and_keeps_its_settings(cluster: Cluster) -> None:
    addons(cluster)
    done = addons(cluster, version="1.34.5")
    assert (done.stdout, done.returncode) == ("changed\n", 0), done.stderr
    proxy = cluster.get("daemonset kube-proxy --namespace kube-system")
    assert proxy["spec"]["template"]["spec"]["containers"][0]["image"].endswith("kube-proxy:v1.34.5")
    settings = cluster.get("configmap kube-proxy --namespace kube-system")["data"]["config.conf"]
    assert "mode: nftables" in settings
    assert addons(cluster, version="1.34.5").stdout == "unchanged\n"


def test_coredns_of_the_owners_own_choice_stays(cluster: Cluster) -> None:
    """Kubeadm knows no way from a CoreDNS that it did not bring, not even to the same one."""
    own = "registry.k8s.io/coredns/coredns:v1.12.4"
    cluster.kubectl(f"--namespace kube-system set image deployment/coredns coredns={own}")
    cluster.kubectl(
        f"--namespace kube-system set image daemonset/kube-proxy kube-proxy=registry.k8s.io/kube-proxy:v{VERSION}"
    )
    config = cluster.get("configmap kubeadm-config --namespace kube-system")["data"]["ClusterConfiguration"]
    wished = json.dumps({"data": {"ClusterConfiguration": config.replace("dns: {}", "dns:\n  imageTag: v1.12.4")}})
    cluster.kubectl(f"--namespace kube-system patch configmap kubeadm-config --patch {shlex.quote(wished)}")
    done = addons(cluster, version="1.34.5")
    assert (done.stdout, done.returncode) == ("changed\n", 0), done.stderr
    dns = cluster.get("deployment coredns --namespace kube-system")
    assert dns["spec"]["template"]["spec"]["containers"][0]["image"] == own
    proxy = cluster.get("daemonset kube-proxy --namespace kube-system")
    assert proxy["spec"]["template"]["spec"]["containers"][0]["image"].endswith("kube-proxy:v1.34.5")


def test_manifest_that_the_api_refuses_is_an_error(cluster: Cluster) -> None:
    broken = step("cluster-addons", KUBERNETES_VERSION=VERSION, CNI_MANIFEST="{apiVersion: v1, kind: Nothing}")
    done = cluster.machine.run(broken.replace("retry 5", "retry 1"))
    assert done.returncode == 1
    assert "applying a manifest" in done.stderr


def test_kubeconfig_names_the_endpoint(cluster: Cluster) -> None:
    text = cluster.machine.run(step("kubeconfig-read", ENDPOINT="203.0.113.7:6443")).stdout
    assert "server: https://203.0.113.7:6443" in text
    assert "client-key-data" in text
    inside = cluster.machine.shell("cat /etc/kubernetes/admin.conf")
    assert "203.0.113.7" not in inside
