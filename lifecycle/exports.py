"""What a stack exported, with types: who exists, where, made of what."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lifecycle.steps import node_of


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
    unfinished: frozenset[str] = frozenset()
    """Machines whose replacement was begun and not finished. The exports alone do not tell: they may be written by an
    update that failed at the very end."""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)


def read_exports(outputs: Mapping[str, Any], state: Mapping[str, Any] | None = None) -> Exports:
    """Read the outputs of a stack, and from its state what the outputs do not say."""
    nodes = outputs.get("nodes") or {}
    return Exports(
        name=str(outputs.get("name") or ""),
        endpoint=str(outputs.get("endpoint") or ""),
        bastion=outputs.get("bastion"),
        kubernetes_version=outputs.get("kubernetes-version"),
        nodes={key: _node(key, values) for key, values in nodes.items()},
        kubeconfig=outputs.get("kubeconfig"),
        unfinished=frozenset(_unfinished(state or {}, nodes)),
        raw=outputs,
    )


def goes_with_others(state: Mapping[str, Any]) -> frozenset[str]:
    """Name, by URN, what nobody is asked to delete when everything is: it goes with something else that is deleted."""
    resources = (state.get("deployment") or {}).get("resources") or ()
    return frozenset(resource["urn"] for resource in resources if resource.get("deletedWith"))


def _unfinished(state: Mapping[str, Any], nodes: Collection[str]) -> Iterator[str]:
    for resource in (state.get("deployment") or {}).get("resources") or ():
        node = node_of(resource["urn"].rpartition("::")[2], nodes)
        if node and resource.get("pendingReplacement"):
            yield node


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
