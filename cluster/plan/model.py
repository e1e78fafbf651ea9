"""The plan: every machine of the cluster, what it is made of, and whom it waits for."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from cluster.plan.registry import RegistryAccessPlan, RegistryPlan
from cluster.plan.storage import StoragePlan
from cluster.settings import DrainPolicy, Spread


class PlanError(Exception):
    """The settings are sound, but the cluster that exists cannot be brought there; carries every reason."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        """Say all reasons."""
        self.reasons = reasons
        lines = "\n".join(f"  {reason}" for reason in reasons)
        super().__init__(f"planning the change: refused, nothing was changed\n{lines}")


class Role(StrEnum):
    """What a machine is for."""

    CONTROL_PLANE = "control-plane"
    WORKER = "worker"
    LOAD_BALANCER = "load-balancer"
    STORAGE = "storage"
    REGISTRY = "registry"

    @property
    def is_node(self) -> bool:
        """Tell whether the machine is a node of Kubernetes."""
        return self in {Role.CONTROL_PLANE, Role.WORKER}


class Change(StrEnum):
    """What this `up` does to a machine, as far as the settings tell."""

    NEW = "new"
    KEPT = "kept"
    REPLACED = "replaced"


@dataclass(frozen=True, kw_only=True)
class Generations:
    """The numbers whose rise replaces a machine."""

    cluster: int
    pool: int
    heal: int


@dataclass(frozen=True, kw_only=True)
class MadeFrom:
    """What a machine really runs on; differs from the settings until its turn to be replaced comes."""

    image: str
    flavor: str
    availability_zone: str | None


@dataclass(frozen=True, kw_only=True)
class VolumePlan:
    """A volume that outlives its machine, and the directories it carries."""

    name: str
    size_gib: int
    type: str | None
    mount_point: str
    binds: tuple[str, ...]
    """`subdirectory:/target` for every directory of the machine that lives on the volume."""
    keep: bool = False
    """It stays in the cloud when it, or the whole cluster, is removed."""
    adopt: str | None = None
    """Id of a volume that was there before the cluster."""


@dataclass(frozen=True, kw_only=True)
class DrainPlan:
    """How pods leave this node before it goes."""

    grace_s: int
    timeout_s: int
    policy: DrainPolicy


@dataclass(frozen=True, kw_only=True)
class ServerGroupPlan:
    """Machines that the cloud keeps apart; its key is the pool's name."""

    key: str
    policy: Spread


@dataclass(frozen=True, kw_only=True)
class NodePlan:
    """One machine. Its key is its host name, Node name, etcd member name, server name and port name."""

    key: str
    role: Role
    pool: str
    index: int
    image: str
    flavor: str
    availability_zone: str | None
    made_from: MadeFrom
    kubernetes_version: str
    incarnation: str
    generations: Generations
    change: Change
    volumes: tuple[VolumePlan, ...]
    labels: Mapping[str, str]
    taints: tuple[str, ...]
    server_group: str | None
    drain: DrainPlan
    steward: str
    """The surviving control plane that admits this node and sees it off; a control plane of one is its own."""
    after: tuple[str, ...]
    """Machines whose replacement or joining must be finished before this one is touched."""
    is_bastion: bool
    floating_ip: bool
    external_network: str | None
    """Where the floating IP comes from; nothing when the machine has none."""


@dataclass(frozen=True, kw_only=True)
class ProxyPlan:
    """The proxy of every machine, with the cluster's own ranges excepted."""

    http: str
    https: str
    no_proxy: str


@dataclass(frozen=True, kw_only=True)
class ClusterPlan:
    """Who exists, and whom this `up` takes away."""

    name: str
    kubernetes_version: str
    nodes: tuple[NodePlan, ...]
    """Load balancer, control plane, the pools in order of their names, storage, registry."""
    leaving: tuple[str, ...]
    """Keys that the last `up` left and this one removes."""
    server_groups: tuple[ServerGroupPlan, ...]
    proxy: ProxyPlan | None
    bastion: str | None
    endpoint: str
    """Key of the machine whose address the API is reached at."""
    birth: Mapping[str, str | None]
    """Values fixed at birth, by their path; exported, and compared by the next plan."""
    storage: StoragePlan | None = None
    guards_storage: bool = False
    """There is storage, or there was until now: who uses it is asked before it changes."""
    former_storage_address: str | None = None
    registry: RegistryPlan | None = None
    registry_access: tuple[RegistryAccessPlan, ...] = ()
    tells_registries: bool = False
    """Nodes use registries, or did until now: then they are told that there are none left."""

    def node(self, key: str) -> NodePlan:
        """Find one machine by its key."""
        return next(node for node in self.nodes if node.key == key)

    def with_role(self, role: Role) -> tuple[NodePlan, ...]:
        """Every machine of that role, in order."""
        return tuple(node for node in self.nodes if node.role is role)

    @property
    def control_planes(self) -> tuple[NodePlan, ...]:
        """The control plane, in order."""
        return self.with_role(Role.CONTROL_PLANE)

    @property
    def workers(self) -> tuple[NodePlan, ...]:
        """Every worker of every pool, in order."""
        return self.with_role(Role.WORKER)

    def only(self, role: Role) -> NodePlan | None:
        """The one machine of a role that has one at most."""
        return next(iter(self.with_role(role)), None)

    @property
    def load_balancer(self) -> NodePlan | None:
        """The load balancer, where there is one."""
        return self.only(Role.LOAD_BALANCER)
