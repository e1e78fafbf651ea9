"""The cluster, from its network to its last worker: what is made of what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import pulumi
from pulumi_openstack import compute

from cluster import cni, keys
from cluster.beside import Registries, make_guard, make_persistent_volumes, make_storage
from cluster.haproxy import API_PORT
from cluster.outputs import ClusterOutputs, NodeOutputs
from cluster.plan import Change, ClusterPlan, NodePlan, Role
from cluster.plan.names import STORAGE
from cluster.settings import ClusterSettings
from cluster.texts import Texts
from components.berth import Berth, BerthArgs, DataVolume, Login
from components.cloud_names import find_image
from components.control_plane import ControlPlane, ControlPlaneArgs
from components.kubernetes_api import KubernetesApi, KubernetesApiArgs
from components.load_balancer import LoadBalancer, LoadBalancerArgs
from components.machine import Machine, MachineArgs
from components.membership import Drain, NodeArgs
from components.network import Network, NetworkArgs
from components.remote_script import Host, RemoteScript
from components.security_groups import SecurityGroups, SecurityGroupsArgs, ServicePort
from components.workers import Workers, WorkersArgs


def build(
    settings: ClusterSettings,
    plan: ClusterPlan,
    *,
    secret: str,
    passwords: Mapping[str, str],
    attempts: Mapping[str, str],
) -> ClusterOutputs:
    """Declare every resource of the cluster; say what the stack exports."""
    return _Build(settings, plan, secret, passwords, attempts).outputs()


class _Build:
    """The table of contents: each paragraph is one thing, made of the ones above."""

    def __init__(
        self,
        settings: ClusterSettings,
        plan: ClusterPlan,
        secret: str,
        passwords: Mapping[str, str],
        attempts: Mapping[str, str],
    ) -> None:
        self._settings = settings
        self._plan = plan
        self._secret = secret
        self._attempts = attempts
        self._registries = Registries(plan, secret, passwords)
        self._cni_manifest = cni.manifest(settings.kubernetes)

        self._network = self._make_network()
        self._security_groups = self._make_security_groups()
        self._server_groups = self._make_server_groups()

        self._berths = self._make_berths()
        self._texts = Texts(settings, plan, secret, self._berths, self._registries)

        self._images = {name: find_image(name) for name in sorted({node.image for node in plan.nodes})}
        self._machines: dict[str, Machine] = {}
        self._front = self._make_load_balancer(plan.load_balancer) if plan.load_balancer else {}
        self._control_plane = self._make_control_plane()
        self._workers = self._make_workers()

        self._make_storage()
        self._make_registry()

    def outputs(self) -> ClusterOutputs:
        """Say what the stack exports. The engine keeps the exports of an `up` of which each could be told.

        So each node's wait for its last step: exports that say what a node is are about one that serves, and after an
        `up` that failed the next one still knows what the last good one left.
        """
        last_steps = {**self._front, **self._control_plane.members, **self._workers.members}
        return ClusterOutputs(
            plan=self._plan,
            endpoint=self._texts.public_endpoint.apply(lambda host: f"https://{host}:{API_PORT}"),
            kubeconfig=self._control_plane.kubeconfig,
            bastion=self._berths[self._plan.bastion].public_address if self._plan.bastion else None,
            nodes={
                key: NodeOutputs(
                    address=machine.address,
                    server_id=when_finished(machine.server_id, last_steps.get(key)),
                    floating_ip=self._berths[key].public_address,
                )
                for key, machine in self._machines.items()
            },
            volume_ids={data.name: volume.id for berth in self._berths.values() for data, volume in berth.volumes},
            registry=self._registries.outputs(),
        )

    # Where the machines are.

    def _make_network(self) -> Network:
        network = self._settings.network
        return Network(
            "network",
            NetworkArgs(
                cluster_name=self._plan.name,
                cidr=str(network.cidr) if network.cidr else None,
                dns_servers=[str(server) for server in network.dns_servers],
                network=network.network,
                subnet=network.subnet,
                external=network.external,
            ),
        )

    def _make_security_groups(self) -> SecurityGroups:
        allowed = self._settings.security
        load_balancer = self._settings.load_balancer
        return SecurityGroups(
            "security",
            SecurityGroupsArgs(
                cluster_name=self._plan.name,
                bastion=self._plan.node(self._plan.bastion).role if self._plan.bastion else None,
                has_load_balancer=load_balancer is not None,
                any_traffic_between_nodes=self._settings.kubernetes.cni_kind == "manifest",
                ssh_allowed_cidrs=[str(cidr) for cidr in allowed.ssh_allowed_cidrs],
                api_allowed_cidrs=[str(cidr) for cidr in allowed.api_allowed_cidrs],
                node_port_allowed_cidrs=[str(cidr) for cidr in allowed.node_port_allowed_cidrs],
                services=[
                    ServicePort(
                        name=service.name,
                        port=service.port,
                        allowed_cidrs=[str(cidr) for cidr in service.allowed_cidrs],
                    )
                    for service in (load_balancer.services if load_balancer else ())
                ],
                nfs_clients=self._plan.storage.clients if self._plan.storage else None,
                registry_port=self._plan.registry.port if self._plan.registry else None,
                registry_allowed_cidrs=self._plan.registry.allowed_cidrs if self._plan.registry else (),
            ),
        )

    def _make_server_groups(self) -> dict[str, compute.ServerGroup]:
        return {
            group.key: compute.ServerGroup(
                f"spread-{group.key}",
                name=f"{self._plan.name}-{group.key}",
                policies=group.policy.value,
            )
            for group in self._plan.server_groups
        }

    def _make_berths(self) -> dict[str, Berth]:
        """The bastion's first: the way to all others leads through it."""
        berths: dict[str, Berth] = {}
        for node in sorted(self._plan.nodes, key=lambda node: not node.is_bastion):
            if node.role is Role.STORAGE and self._plan.former_storage_address:
                continue  # its volumes change after the cluster was asked
            berths[node.key] = self._make_berth(node, self._bastion(berths, node))
        return berths

    def _bastion(self, berths: Mapping[str, Berth], node: NodePlan) -> Host | None:
        return berths[self._plan.bastion].host if self._plan.bastion and not node.is_bastion else None

    def _make_berth(self, node: NodePlan, bastion: Host | None, volumes_after: Sequence[pulumi.Resource] = ()) -> Berth:
        load_balancer = self._settings.load_balancer
        own_pool = load_balancer.external if load_balancer and node.role is Role.LOAD_BALANCER else None
        return Berth(
            node.key,
            BerthArgs(
                cluster_name=self._plan.name,
                network_id=self._network.network_id,
                subnet_id=self._network.subnet_id,
                security_group_id=self._security_groups.ids[node.role],
                way_out=self._network.way_out,
                login=Login(
                    user=self._settings.access.user,
                    private_key=pulumi.Output.secret(keys.access_key(self._secret).private),
                    host_key=keys.host_key(self._secret, node.key).public,
                ),
                bastion=bastion,
                floating_ip_pool=(own_pool or self._settings.network.external) if node.floating_ip else None,
                volumes=[
                    DataVolume(
                        name=volume.name,
                        size_gib=volume.size_gib,
                        type=volume.type,
                        mount_point=volume.mount_point,
                        binds=volume.binds,
                        keep=volume.keep,
                        adopt=volume.adopt,
                    )
                    for volume in node.volumes
                ],
                volumes_after=volumes_after,
            ),
        )

    # The machines.

    def _machine_args(self, node: NodePlan) -> MachineArgs:
        return MachineArgs(
            cluster_name=self._plan.name,
            role=node.role,
            berth=self._berths[node.key],
            image_id=self._images[node.image],
            flavor=node.flavor,
            incarnation=node.incarnation,
            availability_zone=node.availability_zone,
            server_group_id=self._server_groups[node.server_group].id if node.server_group else None,
            user_data=self._texts.cloud_config(node),
            preparation=self._texts.preparation(node),
            registries=self._registries.for_nodes() if node.role.is_node else None,
        )

    def _make_load_balancer(self, node: NodePlan) -> dict[str, RemoteScript]:
        self._machines[node.key] = Machine(node.key, self._machine_args(node))
        load_balancer = LoadBalancer(
            node.key,
            LoadBalancerArgs(machine=self._machines[node.key], configuration=self._texts.haproxy_configuration()),
        )
        return {node.key: load_balancer.serving}

    # The nodes.

    def _make_control_plane(self) -> ControlPlane:
        founder = self._plan.control_planes[0]
        control_plane = ControlPlane(
            "control-plane",
            ControlPlaneArgs(
                nodes=[self._node_args(node) for node in self._plan.control_planes],
                init_config=self._texts.init_config(founder),
                cni_manifest=self._cni_manifest,
                kubernetes_version=self._plan.kubernetes_version,
                endpoint=self._texts.public_endpoint.apply(lambda host: f"{host}:{API_PORT}"),
                drain_settings=self._texts.drain_settings(),
                front=self._front,
            ),
        )
        self._machines.update(control_plane.machines)
        return control_plane

    def _make_workers(self) -> Workers:
        serving = {node.key: self._control_plane.in_service for node in self._plan.control_planes}
        workers = Workers(
            "workers",
            WorkersArgs(
                nodes=[self._node_args(node) for node in self._plan.workers],
                steward=self._control_plane.steward,
                leaves_at_once=self._settings.parallel.leaves,
                finished={**self._front, **serving},
            ),
        )
        self._machines.update(workers.machines)
        return workers

    # What stands beside the nodes.

    def _make_storage(self) -> None:
        if not self._plan.guards_storage:
            return
        guard = make_guard(self._plan, self._control_plane.steward, self._berths.get(STORAGE))
        plan, node = self._plan.storage, self._plan.only(Role.STORAGE)
        if plan is None or node is None:
            return
        # Only order: who uses the storage is asked before a volume changes and before the machine is replaced.
        if STORAGE not in self._berths:
            self._berths[STORAGE] = self._make_berth(node, self._bastion(self._berths, node), volumes_after=[guard])
        args = self._machine_args(node)
        machine = Machine(node.key, replace(args, after=[guard]) if node.change is Change.REPLACED else args)
        self._machines[node.key] = machine
        storage = make_storage(plan, machine, guard)
        make_persistent_volumes(self._plan.name, plan, self._berths[node.key], self._kubernetes_api, storage)

    def _make_registry(self) -> None:
        plan, node = self._plan.registry, self._plan.only(Role.REGISTRY)
        if plan and node:
            machine = Machine(node.key, self._machine_args(node))
            self._machines[node.key] = machine
            self._registries.make_own(plan, machine, node.volumes[0].mount_point)
        if self._plan.registry_access:
            self._registries.make_access(self._kubernetes_api)

    @cached_property
    def _kubernetes_api(self) -> KubernetesApi:
        founder = self._plan.control_planes[0].key
        return KubernetesApi(
            "kubernetes",
            KubernetesApiArgs(
                cluster_name=self._plan.name,
                kubeconfig=self._control_plane.kubeconfig,
                lives_with=self._berths[founder].port,
                ready=[self._control_plane.in_service],
            ),
        )

    def _node_args(self, node: NodePlan) -> NodeArgs:
        return NodeArgs(
            key=node.key,
            machine=self._machine_args(node),
            kubernetes_version=node.kubernetes_version,
            join_config=self._texts.join_config(node),
            labels=node.labels,
            taints=node.taints,
            drain=Drain(
                pool=node.pool,
                grace_s=node.drain.grace_s,
                timeout_s=node.drain.timeout_s,
                policy=node.drain.policy,
            ),
            replaced=node.change is Change.REPLACED,
            attempt=self._attempts[node.key],
            after=node.after,
        )


def when_finished(value: pulumi.Output[str], step: RemoteScript | None) -> pulumi.Output[str]:
    """Give the value once the step has gone well; never, when it fails."""
    return pulumi.Output.all(value, step.id).apply(lambda known: str(known[0])) if step else value
