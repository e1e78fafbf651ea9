"""Sound settings for tests to start from, and one way to change a value in them."""

from copy import deepcopy
from typing import Any

from cluster.plan import ClusterPlan, plan
from cluster.previous import NOTHING, Previous, parse
from cluster.settings import load

REMOVED = object()
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDGxTIXmLKk+C4hTmJSgGY1uXbtAX5rJrLBKZTUnyQnM someone"

SMALL: dict[str, Any] = {
    "name": "demo",
    "kubernetes": {"version": "1.34.3"},
    "network": {"cidr": "10.20.0.0/24", "external": "public"},
    "control-plane": {"image": "node", "flavor": "m1.medium", "volume-gib": 4},
    "workers": {"worker": {"count": 2, "image": "node", "flavor": "m1.medium"}},
    "load-balancer": {"image": "node", "flavor": "m1.small"},
}


def raw(changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """Give the small example as a stack file would, with values at dotted paths changed or removed."""
    settings = deepcopy(SMALL)
    for path, value in (changes or {}).items():
        *parents, last = path.split(".")
        place = settings
        for key in parents:
            place = place.setdefault(key, {})
        if value is REMOVED:
            del place[last]
        else:
            place[last] = value
    return settings


def ha(changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """Give an example with three control planes."""
    return raw({"control-plane.count": 3, "control-plane.volume-gib": REMOVED, **(changes or {})})


def planned(settings: dict[str, Any], previous: Previous = NOTHING) -> ClusterPlan:
    """Plan plain settings."""
    return plan(load(settings), previous)


def after_up(settings: dict[str, Any]) -> Previous:
    """Give what a stack with these settings exports when its `up` went through."""
    done = planned(settings)
    return parse(
        {
            "kubernetes-version": done.kubernetes_version,
            "birth": done.birth,
            "nodes": {
                node.key: {
                    "role": node.role.value,
                    "pool": node.pool,
                    "incarnation": node.incarnation,
                    "generations": vars(node.generations),
                    "image": node.made_from.image,
                    "flavor": node.made_from.flavor,
                    "availability-zone": node.made_from.availability_zone,
                }
                for node in done.nodes
            },
        }
    )
