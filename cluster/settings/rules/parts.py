"""The sections of the settings that could be read; the others are nothing here, and known to be so."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cluster.settings.kubernetes import Installer, KubernetesSettings
from cluster.settings.network import AccessSettings, NetworkSettings, SecuritySettings
from cluster.settings.pools import (
    ControlPlaneSettings,
    DrainSettings,
    LoadBalancerSettings,
    Pool,
    WorkerPoolSettings,
)
from cluster.settings.registry import RegistryAccessSettings, RegistrySettings
from cluster.settings.storage import StorageSettings


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What a rule may look at."""

    name: str | None
    kubernetes: KubernetesSettings | None
    installer: Installer | None
    network: NetworkSettings | None
    access: AccessSettings | None
    security: SecuritySettings | None
    drain: DrainSettings | None
    control_plane: ControlPlaneSettings | None
    workers: Mapping[str, WorkerPoolSettings]
    load_balancer: LoadBalancerSettings | None
    registry: RegistrySettings | None
    registries: tuple[RegistryAccessSettings, ...]
    storage: StorageSettings | None
    has_load_balancer: bool
    """Also true when the section is there and could not be read."""

    @classmethod
    def of(cls, readable: Mapping[str, Any], pools: Mapping[str, Any], unreadable: frozenset[str]) -> "Parts":
        """Collect what could be read."""
        return cls(
            name=readable.get("name"),
            kubernetes=readable.get("kubernetes"),
            installer=readable.get("installer"),
            network=readable.get("network"),
            access=readable.get("access"),
            security=readable.get("security"),
            drain=readable.get("drain"),
            control_plane=readable.get("control-plane"),
            workers=pools,
            load_balancer=readable.get("load-balancer"),
            registry=readable.get("registry"),
            registries=readable.get("registries") or (),
            storage=readable.get("storage"),
            has_load_balancer=readable.get("load-balancer") is not None or "load-balancer" in unreadable,
        )

    def pools(self) -> Iterator[tuple[str, str, Pool]]:
        """Every group of machines: path in the settings, name, section."""
        single: dict[str, Pool | None] = {
            "control-plane": self.control_plane,
            "load-balancer": self.load_balancer,
            "registry": self.registry,
            "storage": self.storage,
        }
        for name, pool in single.items():
            if pool is not None:
                yield name, name, pool
        for name, workers in self.workers.items():
            yield f"workers.{name}", name, workers

    @property
    def node_count(self) -> int:
        """How many nodes of Kubernetes the readable settings ask for."""
        return (self.control_plane.count if self.control_plane else 0) + sum(p.count for p in self.workers.values())

    @property
    def machine_count(self) -> int:
        """How many machines the readable settings ask for."""
        extra = (self.has_load_balancer, self.registry, self.storage)
        return self.node_count + sum(1 for machine in extra if machine)
