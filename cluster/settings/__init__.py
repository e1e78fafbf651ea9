"""What a stack may say: typed, checked as a whole, and refused with every fault at once."""

from cluster.settings.cluster import ClusterSettings
from cluster.settings.faults import Fault, SettingsError
from cluster.settings.kubernetes import Installer, KubernetesSettings
from cluster.settings.load import load
from cluster.settings.network import AccessSettings, Bastion, NetworkSettings, ProxySettings, SecuritySettings
from cluster.settings.pools import (
    ControlPlaneSettings,
    DrainPolicy,
    DrainSettings,
    LoadBalancerSettings,
    NodePool,
    ParallelSettings,
    Pool,
    ServiceSettings,
    Spread,
    WorkerPoolSettings,
)
from cluster.settings.registry import RegistryAccessSettings, RegistrySettings
from cluster.settings.storage import StorageSettings

__all__ = [
    "AccessSettings",
    "Bastion",
    "ClusterSettings",
    "ControlPlaneSettings",
    "DrainPolicy",
    "DrainSettings",
    "Fault",
    "Installer",
    "KubernetesSettings",
    "LoadBalancerSettings",
    "NetworkSettings",
    "NodePool",
    "ParallelSettings",
    "Pool",
    "ProxySettings",
    "RegistryAccessSettings",
    "RegistrySettings",
    "SecuritySettings",
    "ServiceSettings",
    "SettingsError",
    "Spread",
    "StorageSettings",
    "WorkerPoolSettings",
    "load",
]
