"""What the stack exported last time: who existed, made of what, and the values fixed at birth."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cluster.settings.words import VERSION


@dataclass(frozen=True, kw_only=True)
class PreviousNode:
    """A machine as it stood at the end of the last `up` that went through."""

    key: str
    role: str
    pool: str
    incarnation: str
    cluster_generation: int = 0
    pool_generation: int = 0
    heal: int = 0
    image: str | None = None
    flavor: str | None = None
    availability_zone: str | None = None
    address: str | None = None


@dataclass(frozen=True, kw_only=True)
class Previous:
    """The stack before this `up`; empty before the first one."""

    nodes: Mapping[str, PreviousNode] = field(default_factory=dict)
    birth: Mapping[str, str | None] = field(default_factory=dict)
    kubernetes_version: str | None = None
    volumes: Mapping[str, int] = field(default_factory=dict)
    """GiB of every volume, by its name."""
    registries: tuple[str, ...] = ()
    """Servers of the registries that nodes were told of."""

    @property
    def exists(self) -> bool:
        """Tell whether an `up` went through before."""
        return bool(self.nodes)

    def with_role(self, role: str) -> tuple[PreviousNode, ...]:
        """Every machine of that role, in the order of the keys."""
        return tuple(node for node in self.nodes.values() if node.role == role)


NOTHING = Previous()


def parse(outputs: Mapping[str, Any] | None) -> Previous:
    """Read the stack's exports; what is absent or of another shape counts as never exported."""
    outputs = outputs or {}
    nodes = (_parse_node(key, raw) for key, raw in _mapping(outputs.get("nodes")).items())
    return Previous(
        nodes={node.key: node for node in nodes if node},
        birth={path: _text(value) for path, value in _mapping(outputs.get("birth")).items()},
        kubernetes_version=_version(outputs.get("kubernetes-version")),
        registries=_texts(outputs.get("registries")),
        volumes={
            name: _number(_mapping(raw).get("size-gib")) for name, raw in _mapping(outputs.get("volumes")).items()
        },
    )


def _parse_node(key: str, raw: object) -> PreviousNode | None:
    values = _mapping(raw)
    role, pool, incarnation = (_text(values.get(name)) for name in ("role", "pool", "incarnation"))
    if not (role and pool and incarnation):
        return None
    generations = _mapping(values.get("generations"))
    return PreviousNode(
        key=key,
        role=role,
        pool=pool,
        incarnation=incarnation,
        cluster_generation=_number(generations.get("cluster")),
        pool_generation=_number(generations.get("pool")),
        heal=_number(generations.get("heal")),
        image=_text(values.get("image")),
        flavor=_text(values.get("flavor")),
        availability_zone=_text(values.get("availability-zone")),
        address=_text(values.get("address")),
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return {str(key): item for key, item in value.items()} if isinstance(value, Mapping) else {}


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list | tuple) else ()


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _version(value: object) -> str | None:
    return value if isinstance(value, str) and VERSION.fullmatch(value) else None


def _number(value: object) -> int:
    """Read a number; the engine hands every number back as a float."""
    return int(value) if isinstance(value, int | float) else 0
