"""The machines of a cluster: control plane, worker pools, load balancer."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from cluster.settings.network import EVERYWHERE
from cluster.settings.section import Section, setting
from cluster.settings.words import (
    CloudName,
    Count,
    Generation,
    HealNumber,
    Labels,
    Network,
    NodePort,
    PoolName,
    Port,
    Taint,
    VolumeGib,
)

CONTROL_PLANE_TAINT = "node-role.kubernetes.io/control-plane:NoSchedule"


class Spread(StrEnum):
    """How the cloud places the machines of a pool on its hosts."""

    ANTI_AFFINITY = "anti-affinity"
    SOFT_ANTI_AFFINITY = "soft-anti-affinity"
    NONE = "none"


class DrainPolicy(StrEnum):
    """What happens when pods cannot be evicted from a node that leaves."""

    FAIL = "fail"
    FORCE = "force"
    SKIP = "skip"


class DrainSettings(Section):
    """How pods are moved away before their node leaves."""

    grace_s: Annotated[int, Field(strict=True, ge=0, le=3600)] = setting(
        "Seconds a pod gets to end by itself; what a pod asks for itself stands when it is shorter.", default=60
    )
    timeout_s: Annotated[int, Field(strict=True, ge=1, le=86400)] = setting(
        "Seconds until the whole drain counts as failed.", default=300
    )
    policy: DrainPolicy = setting(
        "`fail` stops and names what blocks; `force` then deletes the pods, past their budgets; `skip` never waits.",
        default=DrainPolicy.FAIL,
    )


class ParallelSettings(Section):
    """How much happens at once."""

    joins: Annotated[int, Field(strict=True, ge=1, le=100)] = setting("New machines joining at once.", default=16)
    leaves: Annotated[int, Field(strict=True, ge=1, le=100)] = setting(
        "Nodes drained at once when a pool shrinks.", default=4
    )


class Pool(Section):
    """What every group of equal machines can say."""

    image: CloudName | None = setting(
        "Image of new machines, the control plane's when left out; existing ones take it over when they are replaced.",
        default=None,
    )
    flavor: CloudName = setting("Flavor of new machines; existing ones take it over when they are replaced.")
    generation: Generation = setting("Raise it by one to replace every machine of the pool, in order.", default=0)
    heal: dict[str, HealNumber] = setting(
        "Machines to replace: name and a number, raised by one for every heal.", default={}
    )
    availability_zones: tuple[CloudName, ...] = setting("Zones the machines take in turn.", default=())


class NodePool(Pool):
    """What groups of Kubernetes nodes can say."""

    spread: Spread = setting(
        "`anti-affinity` (never two on a host), `soft-anti-affinity` (if it can be), `none`.",
        default=Spread.SOFT_ANTI_AFFINITY,
    )
    labels: Labels = setting("Labels of the nodes.", default={})
    taints: tuple[Taint, ...] = setting("Taints of the nodes.", default=())


class ControlPlaneSettings(NodePool):
    """The machines that run the API and etcd."""

    image: CloudName = setting("Image of new machines; existing ones take it over when they are replaced.")
    count: Annotated[int, Field(strict=True, ge=1, le=5)] = setting("1, 3 or 5 machines.", default=1)
    volume_gib: VolumeGib | None = setting(
        "Size of a volume that keeps etcd and the keys; a control plane of one needs it to survive its heal.",
        birth=True,
        default=None,
    )
    volume_type: CloudName | None = setting("Cinder's type for that volume.", birth=True, default=None)
    taints: tuple[Taint, ...] = setting(
        "Taints of the nodes; an empty list lets workloads run here.", default=(CONTROL_PLANE_TAINT,)
    )


class WorkerPoolSettings(NodePool):
    """Machines that run workloads: the first `count` of `<pool>-0, <pool>-1, …` that are not in `without`."""

    count: Count = setting("How many machines.")
    without: tuple[str, ...] = setting("Names that are left out; scaling in a chosen machine puts it here.", default=())
    max_unavailable: Annotated[int, Field(strict=True, ge=1, le=100)] = setting(
        "How many machines are replaced at once, at most.", default=1
    )
    drain: DrainSettings | None = setting("Drain of this pool's nodes, in place of the cluster's.", default=None)


class ServiceSettings(Section):
    """A port of the load balancer that leads to a NodePort on every worker."""

    name: PoolName = setting("Name of the service in the load balancer.")
    port: Port = setting("Port on the load balancer.")
    node_port: NodePort = setting("NodePort of the Kubernetes service.")
    allowed_cidrs: tuple[Network, ...] = setting("Who reaches the port.", default=(EVERYWHERE,))


class LoadBalancerSettings(Pool):
    """The machine in front of the API and of services."""

    external: CloudName | None = setting(
        "External network of its floating IP; the cluster's external network when left out.", default=None
    )
    services: tuple[ServiceSettings, ...] = setting("Ports that lead to services in the cluster.", default=())
