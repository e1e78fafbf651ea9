"""Every node of a stack's cluster is Ready, and its DNS answers, seen with the kubeconfig the stack exports."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT_S = 180


def main(stack: str) -> int:
    outputs = json.loads(_run("pulumi", "stack", "output", "--json", "--show-secrets", "--stack", stack))
    wished = {key for key, node in outputs["nodes"].items() if node["role"] in {"control-plane", "worker"}}
    with tempfile.NamedTemporaryFile("w") as kubeconfig:
        kubeconfig.write(outputs["kubeconfig"])
        kubeconfig.flush()
        os.environ["KUBECONFIG"] = kubeconfig.name
        return _wait(wished)


def _wait(wished: set[str]) -> int:
    end = time.monotonic() + LIMIT_S
    while True:
        ready, dns = _ready_nodes(), _ready_replicas("coredns")
        if ready == wished and dns:
            print(f"nodes Ready: {', '.join(sorted(ready))}; CoreDNS: {dns} ready")
            return 0
        if time.monotonic() > end:
            print(f"waited {LIMIT_S} s: wished {sorted(wished)}, Ready {sorted(ready)}, CoreDNS {dns} ready")
            return 1
        time.sleep(1)


def _ready_nodes() -> set[str]:
    nodes = json.loads(_run("kubectl", "get", "nodes", "--output=json"))["items"]
    return {
        node["metadata"]["name"]
        for node in nodes
        if any(c["type"] == "Ready" and c["status"] == "True" for c in node["status"]["conditions"])
    }


def _ready_replicas(deployment: str) -> int:
    found = json.loads(_run("kubectl", "--namespace=kube-system", "get", "deployment", deployment, "--output=json"))
    return int(found["status"].get("readyReplicas", 0))


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[2]).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
