"""What tests run on a cluster, and how they watch it."""

import json
import time
from typing import Any
from urllib.request import urlopen

from tests.background import Background
from tests.lab.lab_stack import LabStack

IMAGE = "nodewright.lab/hello:v1"


def deployment(name: str, replicas: int) -> dict[str, Any]:
    """Web servers that name their pod, spread over the nodes."""
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "terminationGracePeriodSeconds": 1,
                    "topologySpreadConstraints": [
                        {
                            "maxSkew": 1,
                            "topologyKey": "kubernetes.io/hostname",
                            "whenUnsatisfiable": "ScheduleAnyway",
                            "labelSelector": {"matchLabels": labels},
                        }
                    ],
                    "containers": [
                        {
                            "name": "hello",
                            "image": IMAGE,
                            "imagePullPolicy": "Never",
                            "readinessProbe": {"httpGet": {"path": "/", "port": 8080}, "periodSeconds": 1},
                        }
                    ],
                },
            },
        },
    }


def budget(name: str, min_available: int) -> dict[str, Any]:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {"minAvailable": min_available, "selector": {"matchLabels": {"app": name}}},
    }


def node_port(name: str, port: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"type": "NodePort", "selector": {"app": name}, "ports": [{"port": 8080, "nodePort": port}]},
    }


def answer(url: str) -> str:
    """What a web server says; nothing when it does not."""
    try:
        with urlopen(url, timeout=2) as reply:
            return str(reply.read().decode())
    except OSError:
        return ""


def pods_of(stack: LabStack, name: str) -> dict[str, str]:
    """Every pod of a Deployment, with the node it is on."""
    found = json.loads(stack.kubectl("get", "pods", f"--selector=app={name}", "--output=json"))["items"]
    return {pod["metadata"]["name"]: pod["spec"].get("nodeName", "") for pod in found}


def ready_nodes(stack: LabStack) -> set[str]:
    nodes = json.loads(stack.kubectl("get", "nodes", "--output=json"))["items"]
    return {
        node["metadata"]["name"]
        for node in nodes
        if any(c["type"] == "Ready" and c["status"] == "True" for c in node["status"]["conditions"])
    }


class ReadyWatch(Background):
    """Looks again and again how many pods of a Deployment are ready, and keeps the fewest."""

    def __init__(self, stack: LabStack, name: str) -> None:
        super().__init__()
        self._stack, self._name = stack, name
        self.looks = 0
        self.fewest = 1_000_000

    def _work(self) -> None:
        path = f"deployment/{self._name}"
        while not self._over.is_set():
            said = self._stack.kubectl("get", path, "--output=jsonpath={.status.readyReplicas}", check=False)
            if said:
                self.looks += 1
                self.fewest = min(self.fewest, int(said))
            time.sleep(0.3)
