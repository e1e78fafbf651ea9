"""Images that tests push to a cluster's registry, and the pods that run them."""

import json
import time
from pathlib import Path
from typing import Any

from tests.lab.lab_stack import LabStack

PUSH = (Path(__file__).parent / "push_image.py").read_text()
LOCAL = "nodewright.lab/hello:v1"


def push(cluster: LabStack, repository: str, tag: str = "v1", *, check: bool = True, **changes: str) -> str:
    """Push from a node; says what the registry said when it refused."""
    own = cluster.outputs()["registry"]
    given = {"url": f"https://{own['server']}", **own, "image": LOCAL, "repository": repository, "tag": tag}
    given |= {"mark": f"{repository}:{tag} {time.time_ns()}", **changes}
    script = PUSH.replace("GIVEN: dict[str, Any] = {}", f"GIVEN: dict[str, Any] = {json.dumps(given)}")
    return cluster.run_on("control-plane-0", "sudo python3 - 2>&1", script, check=check)


def pod(name: str, image: str, node: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"part": "registry-test"}},
        "spec": {
            "nodeName": node,
            "terminationGracePeriodSeconds": 1,
            "containers": [{"name": "hello", "image": image, "imagePullPolicy": "Always"}],
        },
    }


def server(cluster: LabStack) -> str:
    return str(cluster.outputs()["registry"]["server"])


def forget(cluster: LabStack, repository: str, *nodes: str) -> None:
    """Let the nodes forget an image, so that they pull it again."""
    for node in nodes:
        command = f"sudo ctr --namespace k8s.io images rm --sync {server(cluster)}/{repository}:v1 2>&1"
        cluster.run_on(node, command, check=False)
