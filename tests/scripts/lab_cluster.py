"""Servers of the lab that get the scripts in the order the program sends them, rendered from real settings."""

import json
import subprocess
from collections.abc import Mapping
from typing import Any

import yaml

from cluster import cni, haproxy, kubeadm
from cluster.plan import plan
from cluster.previous import NOTHING
from cluster.settings import load
from tests.lab.kubeadm_by_hand import Machine, wait_for
from tests.lab.site import LabSite
from tests.scripts.rendering import step

STACK = "stacks/Pulumi.lab.yaml"
BINDS = "etcd:/var/lib/etcd\npki:/etc/kubernetes/pki"


class NodeSite(LabSite):
    """A network whose machines are made from the node image."""

    def boot_node(self, machine: Machine, *, volumes: tuple[str, ...] = ()) -> None:
        self.order(machine, volumes=volumes, image="node-1.34.3", flavor="m1.medium", config_drive=True)

    def await_ssh(self, *machines: Machine) -> None:
        for machine in machines:
            wait_for(180, f"{machine.name} to answer over SSH", machine.answers)

    def stop(self, machine: Machine) -> None:
        self._cloud.compute.stop_server(self._servers[machine.name])
        self.wait_for_status(machine, "SHUTOFF")

    def start(self, machine: Machine) -> None:
        self._cloud.compute.start_server(self._servers[machine.name])
        self.wait_for_status(machine, "ACTIVE")
        self.await_ssh(machine)


def settings_of_stack(changes: Mapping[str, Any]) -> dict[str, Any]:
    with open(STACK, encoding="utf-8") as file:
        section: dict[str, Any] = yaml.safe_load(file)["config"]["nodewright:cluster"]
    return {**section, **changes}


class ScriptedCluster:
    """Runs the steps of the program by hand, each answer for the test to judge."""

    def __init__(self, machines: Mapping[str, Machine], changes: Mapping[str, Any], endpoint: str) -> None:
        self._settings = load(settings_of_stack(changes))
        self._plan = plan(self._settings, NOTHING)
        self.machines = machines
        self._endpoint = endpoint

    def run(self, key: str, script: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        return self.machines[key]._ssh(f"sudo -n bash -s {script}", step(script, **variables), 900)

    def says(self, key: str, script: str, **variables: str) -> str:
        done = self.run(key, script, **variables)
        assert done.returncode == 0, f"{script} on {key}: {done.stdout}\n{done.stderr}"
        return done.stdout.strip()

    def ready(self, key: str) -> str:
        return self.says(key, "machine-ready", NODE_NAME=key)

    def prepare(self, key: str, role: str = "node") -> str:
        nothing = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "PACKAGE_SOURCE", "HOSTS_ENTRIES"), "")
        version = self._settings.kubernetes.version
        return self.says(key, "machine-prepare", ROLE=role, KUBERNETES_VERSION=version, **nothing)

    def mount(self, key: str, volume: str) -> str:
        return self.says(key, "volume-mount", DEVICE_ID=volume, MOUNT_POINT="/var/lib/nodewright/state", BIND=BINDS)

    def balance(self, key: str, members: Mapping[str, str]) -> str:
        control_planes = [haproxy.Member(key=name, address=address) for name, address in members.items()]
        return self.says(key, "load-balancer-configure", HAPROXY_CFG=haproxy.render(control_planes=control_planes))

    def _init_config(self, key: str) -> str:
        node = self._plan.node(key)
        return kubeadm.init_config(self._settings, node, address=self.machines[key].address, endpoint=self._endpoint)

    def init_variables(self, key: str, peers: str = "") -> dict[str, str]:
        manifest = cni.manifest(self._settings.kubernetes)
        return {"NODE_NAME": key, "KUBEADM_CONFIG": self._init_config(key), "CNI_MANIFEST": manifest, "PEERS": peers}

    def init(self, key: str, peers: str = "") -> str:
        return self.says(key, "control-plane-init", **self.init_variables(key, peers))

    def restore(self, key: str) -> str:
        return self.says(key, "control-plane-restore", NODE_NAME=key, KUBEADM_CONFIG=self._init_config(key))

    def role(self, key: str) -> str:
        return self._plan.node(key).role.value

    def ticket(self, steward: str, key: str) -> str:
        given = self.says(
            steward,
            "join-ticket",
            NODE_NAME=key,
            ROLE=self.role(key),
            NODE_IP=self.machines[key].address,
            KUBERNETES_VERSION=self._settings.kubernetes.version,
        )
        json.loads(given)
        return given

    def join_variables(self, key: str, ticket: str) -> dict[str, str]:
        address = self.machines[key].address
        return {
            "NODE_NAME": key,
            "ROLE": self.role(key),
            "NODE_IP": address,
            "KUBERNETES_VERSION": self._settings.kubernetes.version,
            "KUBEADM_JOIN_CONFIG": kubeadm.join_config(self._settings, self._plan.node(key), address=address),
            "TICKET": ticket,
        }

    def join(self, steward: str, key: str) -> str:
        return self.says(key, "node-join", **self.join_variables(key, self.ticket(steward, key)))

    def admit(self, steward: str, key: str, labels: str = "") -> str:
        taints = " ".join(self._plan.node(key).taints)
        return self.says(
            steward,
            "node-admit",
            NODE_NAME=key,
            ROLE=self.role(key),
            LABELS=labels,
            TAINTS=taints,
            READY_TIMEOUT_S="120",
        )

    def leave_variables(self, key: str, policy: str = "fail") -> dict[str, str]:
        return {
            "NODE_NAME": key,
            "ROLE": self.role(key),
            "NODE_IP": self.machines[key].address,
            "DRAIN_GRACE_S": "5",
            "DRAIN_TIMEOUT_S": "60",
            "DRAIN_POLICY": policy,
        }

    def leave(self, steward: str, key: str, policy: str = "fail") -> str:
        return self.says(steward, "node-leave", **self.leave_variables(key, policy))

    def addons(self, key: str) -> str:
        manifest = cni.manifest(self._settings.kubernetes)
        version = self._settings.kubernetes.version
        return self.says(key, "cluster-addons", KUBERNETES_VERSION=version, CNI_MANIFEST=manifest)

    def ready_nodes(self, steward: str) -> set[str]:
        condition = '{range .items[*]}{.metadata.name}={.status.conditions[?(@.type=="Ready")].status} {end}'
        states = self.machines[steward].kubectl(f"get nodes -o jsonpath='{condition}'").split()
        return {state.removesuffix("=True") for state in states if state.endswith("=True")}
