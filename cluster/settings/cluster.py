"""All that a stack says about its cluster."""

from cluster.settings.kubernetes import Installer, KubernetesSettings
from cluster.settings.network import AccessSettings, Bastion, NetworkSettings, SecuritySettings
from cluster.settings.pools import (
    ControlPlaneSettings,
    DrainSettings,
    LoadBalancerSettings,
    ParallelSettings,
    WorkerPoolSettings,
)
from cluster.settings.registry import RegistryAccessSettings, RegistrySettings
from cluster.settings.section import Section, setting
from cluster.settings.storage import StorageSettings
from cluster.settings.words import ClusterName, Generation, PoolName


class ClusterSettings(Section):
    """The object under `nodewright:cluster`; made by `load`, which also checks the rules between sections."""

    name: ClusterName = setting("Name of the cluster; what it owns in the cloud starts with it.", birth=True)
    kubernetes: KubernetesSettings = setting("Kubernetes itself.")
    installer: Installer = setting("Who makes a cluster of the machines.", birth=True, default=Installer.KUBEADM)
    network: NetworkSettings = setting("The machines' network.")
    access: AccessSettings = setting("How machines are reached over SSH.", default=AccessSettings())
    security: SecuritySettings = setting("Who outside may reach what.", default=SecuritySettings())
    generation: Generation = setting("Raise it by one to replace every machine of the cluster, in order.", default=0)
    drain: DrainSettings = setting("How pods leave a node before it goes.", default=DrainSettings())
    parallel: ParallelSettings = setting("How much happens at once.", default=ParallelSettings())
    control_plane: ControlPlaneSettings = setting("The machines that run the API and etcd.")
    workers: dict[PoolName, WorkerPoolSettings] = setting("Pools of workers, by name.", default={})
    load_balancer: LoadBalancerSettings | None = setting(
        "The machine in front of the API and of services; needed by a control plane of three or five.", default=None
    )
    registry: RegistrySettings | None = setting("A registry machine.", default=None)
    registries: tuple[RegistryAccessSettings, ...] = setting("Registries that nodes may use.", default=())
    storage: StorageSettings | None = setting("A storage machine.", default=None)

    @property
    def bastion(self) -> Bastion:
        """The bastion that was asked for, or the machine that serves best as one."""
        if self.access.bastion is not None:
            return self.access.bastion
        if self.access.floating_ips:
            return Bastion.NONE
        return Bastion.LOAD_BALANCER if self.load_balancer else Bastion.CONTROL_PLANE

    def name_sections(self) -> dict[str, Section]:
        """The sections that hold values fixed at birth, by their path; the first is the cluster itself."""
        return {
            "": self,
            "kubernetes": self.kubernetes,
            "network": self.network,
            "control-plane": self.control_plane,
        }
