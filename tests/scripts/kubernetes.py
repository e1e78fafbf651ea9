"""A cluster's brain without a body: real etcd, API server and controllers, and Nodes that are only objects."""

import json
import shlex
from typing import Any

import toolchain
from components.remote_script import read_script
from tests.scripts.rendering import with_library
from tests.scripts.sandbox import Sandbox

STEWARD = "control-plane-0"
ADDRESS = "10.99.0.10"
LIVING = "10.99.0.20"  # something answers there as a kubelet would
HANGING = "10.99.0.25"  # connections are taken, and nobody speaks on them
DEAD = "10.99.0.30"  # nothing does
VERSION = "1.34.3"

CONFIG = f"""\
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
nodeRegistration: {{name: {STEWARD}}}
localAPIEndpoint: {{advertiseAddress: {ADDRESS}}}
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v{VERSION}
controlPlaneEndpoint: {ADDRESS}:6443
---
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
"""
PHASES = ("certs all", "kubeconfig all", "etcd local", "control-plane all")
AFTERWARDS = ("upload-config kubeadm", "bootstrap-token", "addon all")
KUBELET = f"openssl s_server -quiet -www -accept {LIVING}:10250 -cert /root/kubelet.crt -key /root/kubelet.key"
CERTIFICATE = (
    "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=kubelet -keyout /root/kubelet.key -out /root/kubelet.crt"
)
SILENCE = f"import socket; s = socket.create_server(('{HANGING}', 10250)); k = [s.accept() for _ in iter(int, 1)]"

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: {name}, labels: {{app: {app}}}{owner}}}
spec:
  nodeName: {node}
  terminationGracePeriodSeconds: 0
  containers: [{{name: one, image: none}}]
"""


class Cluster:
    """The steward's machine, and what stands in for the others."""

    def __init__(self, machine: Sandbox) -> None:
        self.machine = machine
        for folder in toolchain.ensure([f"kubernetes-{VERSION}", "etcd"]).values():
            machine.shell(f"ln -s {folder}/bin/* /usr/local/bin/")
        machine.shell("rm -rf /etc/kubernetes /var/lib/etcd && ip link set lo up")
        for address in (ADDRESS, LIVING, HANGING):
            machine.shell(f"ip address add {address}/32 dev lo")
        # a machine that is off does not refuse either
        machine.shell(f"ip route add unreachable {DEAD}/32")
        machine.write("/usr/local/sbin/hostname", f"#!/bin/sh\necho {STEWARD}", mode="0755")
        machine.write("/root/kubeadm.yaml", CONFIG)
        machine.shell(f"{CERTIFICATE} 2>&1")
        machine.start(KUBELET)
        machine.start(shlex.join(["python3", "-c", SILENCE]))
        for phase in PHASES:
            machine.shell(f"kubeadm init phase {phase} --config /root/kubeadm.yaml >&2")
        for program in ("etcd", "kube-apiserver", "kube-controller-manager"):
            machine.start(shlex.join(self._command(program)))
        # what the library knows about the API, it is asked here, too
        machine.shell(with_library(read_script("parts/kubernetes") + "main() { use_api; }\nmain </dev/null\n"))
        for phase in AFTERWARDS:
            machine.shell(f"kubeadm init phase {phase} --config /root/kubeadm.yaml >&2")

        # pods have an owner that exists, or the garbage collector takes them away
        self.kubectl("create configmap keeper")
        self.kubectl("wait --for=create serviceaccount/default --timeout=60s")

    def _command(self, program: str) -> list[str]:
        manifest = self.machine.shell(f"cat /etc/kubernetes/manifests/{program}.yaml")
        lines = manifest.split("- command:\n")[1].split("\n    image:")[0].splitlines()
        return [line.strip().removeprefix("- ") for line in lines]

    def kubectl(self, command: str, text: str = "") -> str:
        given = f" <<'TEXT'\n{text}\nTEXT" if text else ""
        return self.machine.shell(f"kubectl --kubeconfig /etc/kubernetes/admin.conf {command}{given}\n")

    def get(self, what: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.kubectl(f"get {what} --output json"))
        return found

    def add_node(self, name: str, *, ready: bool = True) -> None:
        self.kubectl("apply -f -", f"{{apiVersion: v1, kind: Node, metadata: {{name: {name}}}}}")
        self.set_ready(name, ready=ready)

    def set_ready(self, name: str, *, ready: bool) -> None:
        status = {"conditions": [{"type": "Ready", "status": str(ready), "reason": "Test", "message": "said the test"}]}
        patch = json.dumps({"status": status})
        self.kubectl(f"patch node {name} --subresource status --type merge --patch {shlex.quote(patch)}")

    def add_pod(self, name: str, node: str, *, app: str = "demo", owned: bool = True) -> None:
        keeper = self.get("configmap keeper")["metadata"]
        owner = (
            f", ownerReferences: [{{apiVersion: v1, kind: ConfigMap, name: {keeper['name']}, "
            f"uid: {keeper['uid']}, controller: true}}]"
        )
        self.kubectl("create -f -", POD.format(name=name, node=node, app=app, owner=owner if owned else ""))
        # budgets do not protect a pod that never ran
        status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
        patch = json.dumps({"status": status})
        self.kubectl(f"patch pod {name} --subresource status --type merge --patch {shlex.quote(patch)}")

    def add_member(self, name: str, address: str) -> None:
        """An etcd member that was announced and never came; or came, and is gone."""
        self.etcdctl(f"member add {name} --learner --peer-urls=https://{address}:2380")

    def members(self) -> list[str]:
        return self.etcdctl("member list").splitlines()

    def etcdctl(self, command: str) -> str:
        pki = "/etc/kubernetes/pki/etcd"
        return self.machine.shell(
            f"etcdctl --endpoints=https://127.0.0.1:2379 --cacert={pki}/ca.crt --cert={pki}/server.crt "
            f"--key={pki}/server.key {command}"
        )
