"""What machines are told, as text: each is made of the settings, the plan, and the addresses of the berths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from cluster import haproxy, keys, kubeadm, user_data
from cluster.beside import Registries
from cluster.plan import ClusterPlan, NodePlan, Role
from cluster.plan.names import REGISTRY
from cluster.settings import ClusterSettings
from components.berth import Berth


@dataclass(frozen=True)
class Texts:
    settings: ClusterSettings
    plan: ClusterPlan
    secret: str
    berths: Mapping[str, Berth]
    registries: Registries

    @property
    def endpoint(self) -> pulumi.Output[str]:
        """Where nodes find the API."""
        return self.berths[self.plan.endpoint].address

    @property
    def public_endpoint(self) -> pulumi.Output[str]:
        """Where everybody else does."""
        return self.berths[self.plan.endpoint].public_address or self.endpoint

    def cloud_config(self, node: NodePlan) -> pulumi.Output[str]:
        access = self.settings.access
        return pulumi.Output.secret(
            user_data.render(
                node_key=node.key,
                user=access.user,
                host_key=keys.host_key(self.secret, node.key),
                authorized_keys=[keys.access_key(self.secret).public, *access.authorized_keys],
            )
        )

    def preparation(self, node: NodePlan) -> dict[str, pulumi.Input[str]]:
        """Give the variables of `machine-prepare`."""
        proxy = self.plan.proxy
        return {
            "ROLE": "node" if node.role.is_node else node.role,
            "KUBERNETES_VERSION": node.kubernetes_version,
            "PACKAGE_SOURCE": self.settings.kubernetes.package_source or "",
            "HTTP_PROXY": proxy.http if proxy else "",
            "HTTPS_PROXY": proxy.https if proxy else "",
            "NO_PROXY": proxy.no_proxy if proxy else "",
            "HOSTS_ENTRIES": self.registries.hosts_entries(self.berths.get(REGISTRY)) if node.role.is_node else "",
            **({"NFS_CLIENT": "yes"} if node.role.is_node and self.plan.storage else {}),
            **({"REGISTRY_FROM_ARCHIVE": "yes"} if node.role is Role.REGISTRY and self._registry_comes_along else {}),
        }

    @property
    def _registry_comes_along(self) -> bool:
        return bool(self.plan.registry and self.plan.registry.archive)

    def haproxy_configuration(self) -> pulumi.Output[str]:
        services = self.settings.load_balancer.services if self.settings.load_balancer else ()
        members = {node.key: self.berths[node.key].address for node in self.plan.nodes if node.role.is_node}

        def render(addresses: Mapping[str, str]) -> str:
            def of(nodes: tuple[NodePlan, ...]) -> list[haproxy.Member]:
                return [haproxy.Member(key=node.key, address=addresses[node.key]) for node in nodes]

            return haproxy.render(
                control_planes=of(self.plan.control_planes),
                workers=of(self.plan.workers),
                services=services,
            )

        return pulumi.Output.all(**members).apply(render)

    def init_config(self, node: NodePlan) -> pulumi.Output[str]:
        return pulumi.Output.all(self.berths[node.key].address, self.endpoint, self.public_endpoint).apply(
            lambda known: kubeadm.init_config(
                self.settings, node, address=known[0], endpoint=known[1], certificate_names=[known[2]]
            )
        )

    def join_config(self, node: NodePlan) -> pulumi.Output[str]:
        return self.berths[node.key].address.apply(
            lambda address: kubeadm.join_config(self.settings, node, address=address)
        )

    def drain_settings(self) -> str:
        """Say how pods leave today, pool by pool; a pool that is gone goes by what holds for all."""
        pools = {name: pool.drain for name, pool in sorted(self.settings.workers.items()) if pool.drain}
        return "\n".join(
            f"{pool} {drain.grace_s} {drain.timeout_s} {drain.policy}"
            for pool, drain in {**pools, "*": self.settings.drain}.items()
        )
