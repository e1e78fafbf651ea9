"""What the stack tells the world, and itself at the next `up`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi

from cluster.plan import ClusterPlan, NodePlan, VolumePlan


@dataclass(frozen=True, kw_only=True)
class NodeOutputs:
    """What only the cloud knows about a machine."""

    address: pulumi.Input[str]
    server_id: pulumi.Input[str]
    floating_ip: pulumi.Input[str] | None = None


@dataclass(frozen=True, kw_only=True)
class ClusterOutputs:
    """Everything a stack exports; `previous.parse` reads it back."""

    plan: ClusterPlan
    endpoint: pulumi.Input[str]
    kubeconfig: pulumi.Output[str]
    nodes: Mapping[str, NodeOutputs]
    volume_ids: Mapping[str, pulumi.Input[str]] = field(default_factory=dict)
    """Id of every volume, by its name."""
    bastion: pulumi.Input[str] | None = None
    registry: Mapping[str, pulumi.Input[str]] | None = None
    """How the cluster's own registry is used: server, username, password, ca."""

    def exports(self) -> dict[str, Any]:
        """Give the exports by name."""
        return {
            "name": self.plan.name,
            "endpoint": self.endpoint,
            "kubeconfig": pulumi.Output.secret(self.kubeconfig),
            "bastion": self.bastion,
            "kubernetes-version": self.plan.kubernetes_version,
            "birth": dict(self.plan.birth),
            "nodes": {node.key: node_export(node, self.nodes[node.key]) for node in self.plan.nodes},
            "volumes": {
                volume.name: volume_export(volume, self.volume_ids[volume.name])
                for node in self.plan.nodes
                for volume in node.volumes
            },
            "registries": [access.server for access in self.plan.registry_access],
            "registry": pulumi.Output.secret(self.registry) if self.registry else None,
        }


def node_export(node: NodePlan, known: NodeOutputs) -> dict[str, Any]:
    """Say what a machine is after this `up`."""
    return {
        "role": node.role.value,
        "pool": node.pool,
        "address": known.address,
        "floating-ip": known.floating_ip,
        "server-id": known.server_id,
        "incarnation": node.incarnation,
        "generations": {
            "cluster": node.generations.cluster,
            "pool": node.generations.pool,
            "heal": node.generations.heal,
        },
        "kubernetes-version": node.kubernetes_version if node.role.is_node else None,
        "image": node.made_from.image,
        "flavor": node.made_from.flavor,
        "availability-zone": node.made_from.availability_zone,
    }


def volume_export(volume: VolumePlan, volume_id: pulumi.Input[str]) -> dict[str, Any]:
    """Say what a volume is, and whether it stays when the cluster goes."""
    return {
        "id": volume_id,
        "size-gib": volume.size_gib,
        "mount-point": volume.mount_point,
        "kept": volume.keep,
    }
