"""Clusters that tests start from, as a stack file says them."""

from __future__ import annotations

from typing import Any

BASE: dict[str, Any] = {
    "name": "demo",
    "kubernetes": {"version": "1.34.3"},
    "network": {"cidr": "10.20.0.0/24", "external": "public"},
    "control-plane": {"count": 1, "image": "node", "flavor": "m1.medium", "volume-gib": 4},
    "workers": {"worker": {"count": 2, "image": "node", "flavor": "m1.medium"}},
    "load-balancer": {
        "image": "node",
        "flavor": "m1.small",
        "services": [{"name": "web", "port": 80, "node-port": 30080}],
    },
}


def cluster(*, count: int = 1, workers: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """A small cluster with a load balancer; `workers` changes its one pool, `changes` whole sections."""
    made = {**BASE, **{key.replace("_", "-"): value for key, value in changes.items() if key != "control_plane"}}
    made["control-plane"] = {**BASE["control-plane"], "count": count, **changes.get("control_plane", {})}
    made["workers"] = {"worker": {**BASE["workers"]["worker"], **(workers or {})}}
    return made
