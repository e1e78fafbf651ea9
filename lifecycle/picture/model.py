"""What the picture shows: tiers of machines, each with its volumes."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from lifecycle.exports import Exports, NodeExport
from lifecycle.steps import VOLUME, node_of

SCHEMA = "nodewright/picture/v1"
TIERS = ("load-balancer", "control-plane")


@dataclass(frozen=True, kw_only=True)
class Box:
    """One machine."""

    node: str
    role: str
    pool: str
    address: str
    floating_ip: str | None
    image: str
    flavor: str
    kubernetes_version: str | None
    generation: str
    volumes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Picture:
    """The cluster, tier by tier: what clients meet first is on top."""

    cluster: str
    endpoint: str
    tiers: tuple[tuple[Box, ...], ...]

    def to_json(self) -> dict[str, Any]:
        """Give it as JSON."""
        return {"schema": SCHEMA, **asdict(self)}


def draw(exports: Exports, state: Mapping[str, Any]) -> Picture:
    """Arrange the machines of an exported cluster."""
    resources = (state.get("deployment") or {}).get("resources") or ()
    volumes: dict[str, list[str]] = {}
    for resource in resources:
        if resource["type"] == VOLUME:
            name = resource["urn"].rpartition("::")[2]
            size = (resource.get("outputs") or {}).get("size")
            volumes.setdefault(node_of(name, exports.nodes) or "", []).append(
                f"{name} {size:.0f} GiB" if size else name
            )
    boxes = [_box(node, tuple(volumes.get(node.key, ()))) for node in exports.nodes.values()]
    pools = sorted({box.pool for box in boxes if box.role not in TIERS})
    tiers = [[box for box in boxes if box.role == role] for role in TIERS]
    tiers += [[box for box in boxes if box.pool == pool and box.role not in TIERS] for pool in pools]
    return Picture(cluster=exports.name, endpoint=exports.endpoint, tiers=tuple(tuple(tier) for tier in tiers if tier))


def _box(node: NodeExport, volumes: tuple[str, ...]) -> Box:
    return Box(
        node=node.key,
        role=node.role,
        pool=node.pool,
        address=node.address,
        floating_ip=node.floating_ip,
        image=node.image or "?",
        flavor=node.flavor or "?",
        kubernetes_version=node.kubernetes_version,
        generation=f"{node.cluster_generation}.{node.pool_generation}, heal {node.heal}",
        volumes=volumes,
    )


def lines_of(box: Box) -> tuple[str, ...]:
    """Say what stands in a machine's box."""
    outside = f" ({box.floating_ip})" if box.floating_ip else ""
    version = f"Kubernetes {box.kubernetes_version}" if box.kubernetes_version else box.role
    return (
        box.node,
        f"{box.address}{outside}",
        f"{box.image}, {box.flavor}",
        f"{version}, generation {box.generation}",
        *(f"▤ {volume}" for volume in box.volumes),
    )
