"""What the golden tickets are made of: recorded previews, and clusters as their API would describe them."""

import json
from pathlib import Path
from typing import Any

from cluster.plan import plan
from cluster.previous import parse
from cluster.settings import load
from lifecycle import live
from lifecycle.exports import read_exports
from lifecycle.live import Live
from lifecycle.situation import Situation
from lifecycle.steps import Step
from lifecycle.ticket import Ticket, ticket

HERE = Path(__file__).parent


def make(name: str, running: Live | None = None) -> Ticket:
    """Make the ticket of a recorded preview."""
    recorded = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    settings, exports = load(recorded["cluster"]), read_exports(recorded["outputs"])
    situation = Situation(
        settings=settings,
        plan=plan(settings, parse(exports.raw)),
        exports=exports,
        live=running or live.unknown("https://10.20.0.9:6443 does not answer: timed out"),
    )
    return ticket("demo", steps_of(recorded["steps"]), situation)


def steps_of(lines: list[str]) -> list[Step]:
    """Read steps as the recording writes them."""
    return [Step(op=op, urn=urn) for op, _, urn in (line.partition(" ") for line in lines)]


def node(name: str, *, ready: bool = True) -> dict[str, Any]:
    """A Node object."""
    return {
        "metadata": {"name": name},
        "spec": {},
        "status": {
            "conditions": [{"type": "Ready", "status": "True" if ready else "Unknown"}],
            "nodeInfo": {"kubeletVersion": "v1.34.3"},
            "addresses": [{"type": "InternalIP", "address": "10.20.0.4"}],
        },
    }


def pod(
    name: str, on: str, *, owner: str | None = "ReplicaSet", volumes: tuple[str, ...] = (), **labels: str
) -> dict[str, Any]:
    """A pod, `namespace/name`."""
    namespace, _, short = name.partition("/")
    return {
        "metadata": {
            "namespace": namespace,
            "name": short,
            "labels": labels,
            "ownerReferences": [{"kind": owner}] if owner else [],
        },
        "spec": {"nodeName": on, "volumes": [{"name": kind, kind: {}} for kind in volumes]},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }


def etcd(on: str, *, ready: bool = True) -> dict[str, Any]:
    """The static pod of an etcd member."""
    made = pod(f"kube-system/etcd-{on}", on, owner="Node", component="etcd")
    made["status"]["conditions"][0]["status"] = "True" if ready else "False"
    return made


def budget(name: str, *, allowed: int, healthy: int, wanted: int, **labels: str) -> dict[str, Any]:
    """A PodDisruptionBudget, `namespace/name`."""
    namespace, _, short = name.partition("/")
    return {
        "metadata": {"namespace": namespace, "name": short},
        "spec": {"selector": {"matchLabels": labels}},
        "status": {"disruptionsAllowed": allowed, "currentHealthy": healthy, "desiredHealthy": wanted},
    }


def busy() -> Live:
    """One master and three workers, with a web front that may spare nobody."""
    nodes = ["control-plane-0", "worker-0", "worker-1", "worker-2"]
    pods = [
        etcd("control-plane-0"),
        *(pod(f"kube-system/kube-proxy-{name}", name, owner="DaemonSet") for name in nodes),
        pod("web/front-1", "worker-0", app="front"),
        pod("web/front-2", "worker-1", app="front"),
        pod("web/cache-1", "worker-1", app="cache", volumes=("emptyDir",)),
        pod("web/by-hand", "worker-1", owner=None),
        pod("batch/job-1", "worker-2", owner="Job"),
    ]
    budgets = [
        budget("web/front", allowed=0, healthy=2, wanted=2, app="front"),
        budget("web/cache", allowed=1, healthy=1, wanted=0, app="cache"),
    ]
    return live.read(map(node, nodes), pods, budgets)


def masters(*, down: str | None = None) -> Live:
    """Three masters, one of which may be down."""
    names = [f"control-plane-{index}" for index in range(3)]
    nodes = [node(name, ready=name != down) for name in [*names, "worker-0", "worker-1"]]
    return live.read(nodes, [etcd(name, ready=name != down) for name in names], [])
