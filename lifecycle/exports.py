"""What a stack exported, with types: who exists, where, made of what."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class NodeExport:
    """A machine as the last `up` that went through left it."""

    key: str
    role: str
    pool: str
    address: str
    floating_ip: str | None
    server_id: str
    incarnation: str
    cluster_generation: int
    pool_generation: int
    heal: int
    kubernetes_version: str | None
    image: str | None
    flavor: str | None

    @property
    def is_node(self) -> bool:
        """Tell whether the machine is a node of Kubernetes."""
        return self.kubernetes_version is not None


@dataclass(frozen=True, kw_only=True)
class Exports:
    """A stack's exports; empty before its first `up` went through."""

    name: str = ""
    endpoint: str = ""
    bastion: str | None = None
    kubernetes_version: str | None = None
    nodes: Mapping[str, NodeExport] = field(default_factory=dict)
    kubeconfig: str | None = field(default=None, repr=False)
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)


def read_exports(outputs: Mapping[str, Any]) -> Exports:
    """Read the outputs of a stack."""
    nodes = outputs.get("nodes") or {}
    return Exports(
        name=str(outputs.get("name") or ""),
        endpoint=str(outputs.get("endpoint") or ""),
        bastion=outputs.get("bastion"),
        kubernetes_version=outputs.get("kubernetes-version"),
        nodes={key: _node(key, values) for key, values in nodes.items()},
        kubeconfig=outputs.get("kubeconfig"),
        raw=outputs,
    )


def _node(key: str, values: Mapping[str, Any]) -> NodeExport:
    generations = values.get("generations") or {}
    return NodeExport(
        key=key,
        role=str(values.get("role") or ""),
        pool=str(values.get("pool") or ""),
        address=str(values.get("address") or ""),
        floating_ip=values.get("floating-ip"),
        server_id=str(values.get("server-id") or ""),
        incarnation=str(values.get("incarnation") or ""),
        cluster_generation=int(generations.get("cluster") or 0),
        pool_generation=int(generations.get("pool") or 0),
        heal=int(generations.get("heal") or 0),
        kubernetes_version=values.get("kubernetes-version"),
        image=values.get("image"),
        flavor=values.get("flavor"),
    )
