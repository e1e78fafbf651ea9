"""Make the plan: every machine, in order, beside what existed before."""

from dataclasses import replace

from cluster.plan.birth import birth_values
from cluster.plan.model import (
    Change,
    ClusterPlan,
    DrainPlan,
    Generations,
    MadeFrom,
    NodePlan,
    ProxyPlan,
    Role,
    ServerGroupPlan,
    VolumePlan,
)
from cluster.plan.names import (
    CONTROL_PLANE,
    FIRST_CONTROL_PLANE,
    LOAD_BALANCER,
    REGISTRY,
    STORAGE,
    control_plane_keys,
    steward_of,
    worker_indexes,
)
from cluster.plan.order import order
from cluster.plan.refuse import refuse
from cluster.plan.registry import registry_access_plans, registry_plan
from cluster.plan.storage import storage_plan
from cluster.previous import Previous
from cluster.settings import (
    Bastion,
    ClusterSettings,
    ControlPlaneSettings,
    DrainSettings,
    LoadBalancerSettings,
    NodePool,
    Pool,
    RegistrySettings,
    Spread,
    StorageSettings,
    WorkerPoolSettings,
)

STATE_MOUNT_POINT = "/var/lib/nodewright"
STATE_BINDS = ("etcd:/var/lib/etcd", "pki:/etc/kubernetes/pki")
REGISTRY_MOUNT_POINT = "/srv/registry"
ZONE_LABEL = "topology.kubernetes.io/zone"
POOL_LABEL = "nodewright.dev/pool"
NEVER_PROXIED = ("localhost", "127.0.0.1", ".svc", ".cluster.local")


def plan(settings: ClusterSettings, previous: Previous) -> ClusterPlan:
    """Plan the cluster; raise `PlanError` when the one that exists cannot be brought there."""
    planner = _Planner(settings, previous)
    nodes = planner.nodes()
    refuse(settings, nodes, previous)
    registry = registry_plan(settings)
    access = registry_access_plans(settings, registry)
    return ClusterPlan(
        name=settings.name,
        kubernetes_version=settings.kubernetes.version,
        nodes=order(nodes, settings, previous),
        leaving=tuple(key for key in previous.nodes if key not in {node.key for node in nodes}),
        server_groups=planner.server_groups(),
        proxy=_proxy(settings),
        bastion=next((node.key for node in nodes if node.is_bastion), None),
        endpoint=LOAD_BALANCER if settings.load_balancer else FIRST_CONTROL_PLANE,
        birth=birth_values(settings),
        storage=storage_plan(settings.storage),
        guards_storage=settings.storage is not None or bool(previous.with_role(Role.STORAGE)),
        former_storage_address=next((node.address for node in previous.with_role(Role.STORAGE)), None),
        registry=registry,
        registry_access=access,
        tells_registries=bool(access) or bool(previous.registries),
    )


class _Planner:
    """Makes the machines of each role from the same ingredients."""

    def __init__(self, settings: ClusterSettings, previous: Previous) -> None:
        self._settings = settings
        self._previous = previous
        self._control_planes = control_plane_keys(settings)

    def nodes(self) -> tuple[NodePlan, ...]:
        """Every machine: load balancer, control plane, workers, storage, registry."""
        settings = self._settings
        nodes: list[NodePlan] = []
        if settings.load_balancer:
            nodes.append(self._node(Role.LOAD_BALANCER, LOAD_BALANCER, 0, settings.load_balancer))
        nodes += (
            self._node(Role.CONTROL_PLANE, CONTROL_PLANE, index, settings.control_plane)
            for index in range(settings.control_plane.count)
        )
        nodes += (
            self._node(Role.WORKER, name, index, pool)
            for name, pool in sorted(settings.workers.items())
            for index in worker_indexes(pool, name)
        )
        if settings.storage:
            nodes.append(self._node(Role.STORAGE, STORAGE, 0, settings.storage))
        if settings.registry:
            nodes.append(self._node(Role.REGISTRY, REGISTRY, 0, settings.registry))
        return tuple(nodes)

    def server_groups(self) -> tuple[ServerGroupPlan, ...]:
        """One group for each pool whose machines are kept apart; a load balancer has nobody to keep apart from."""
        pools: dict[str, NodePool] = {
            CONTROL_PLANE: self._settings.control_plane,
            **dict(sorted(self._settings.workers.items())),
        }
        return tuple(
            ServerGroupPlan(key=name, policy=pool.spread)
            for name, pool in pools.items()
            if pool.spread is not Spread.NONE
        )

    def _node(
        self,
        role: Role,
        pool_name: str,
        index: int,
        pool: Pool,
    ) -> NodePlan:
        key = f"{pool_name}-{index}" if role.is_node else pool_name
        zone = pool.availability_zones[index % len(pool.availability_zones)] if pool.availability_zones else None
        image = pool.image or self._settings.control_plane.image
        generations = Generations(cluster=self._settings.generation, pool=pool.generation, heal=pool.heal.get(key, 0))
        incarnation = self._incarnation(role, generations)
        change = self._change(key, incarnation)
        made_from = self._made_from(key, change, MadeFrom(image=image, flavor=pool.flavor, availability_zone=zone))
        is_bastion = self._is_bastion(key)
        external = self._external_network(pool) if is_bastion or self._is_open(role) else None
        return NodePlan(
            key=key,
            role=role,
            pool=pool_name,
            index=index,
            image=image,
            flavor=pool.flavor,
            availability_zone=zone,
            made_from=made_from,
            kubernetes_version=self._settings.kubernetes.version,
            incarnation=incarnation,
            generations=generations,
            change=change,
            volumes=_volumes(key, pool),
            labels=_labels(pool_name, pool, made_from),
            taints=pool.taints if isinstance(pool, NodePool) else (),
            server_group=pool_name if isinstance(pool, NodePool) and pool.spread is not Spread.NONE else None,
            drain=_drain(self._settings.drain, pool),
            steward=steward_of(key, self._control_planes),
            after=(),
            is_bastion=is_bastion,
            floating_ip=external is not None,
            external_network=external,
        )

    def _incarnation(self, role: Role, generations: Generations) -> str:
        """Name everything whose change means a new machine; a load balancer runs no Kubernetes."""
        numbers = f"c{generations.cluster}-p{generations.pool}-h{generations.heal}"
        return f"{self._settings.kubernetes.version}-{numbers}" if role.is_node else numbers

    def _change(self, key: str, incarnation: str) -> Change:
        before = self._previous.nodes.get(key)
        if before is None:
            return Change.NEW
        return Change.KEPT if before.incarnation == incarnation else Change.REPLACED

    def _made_from(self, key: str, change: Change, wished: MadeFrom) -> MadeFrom:
        """Tell what the machine will be made of after this `up`: a kept one stays what it was."""
        before = self._previous.nodes.get(key)
        if change is not Change.KEPT or before is None:
            return wished
        return replace(
            wished,
            image=before.image or wished.image,
            flavor=before.flavor or wished.flavor,
            availability_zone=before.availability_zone,
        )

    def _is_open(self, role: Role) -> bool:
        """Tell whether machines of that role are reached from outside without a bastion."""
        return role is Role.LOAD_BALANCER or self._settings.access.floating_ips

    def _external_network(self, pool: Pool) -> str | None:
        own = pool.external if isinstance(pool, LoadBalancerSettings) else None
        return own or self._settings.network.external

    def _is_bastion(self, key: str) -> bool:
        bastion = self._settings.bastion
        return (bastion is Bastion.LOAD_BALANCER and key == LOAD_BALANCER) or (
            bastion is Bastion.CONTROL_PLANE and key == FIRST_CONTROL_PLANE
        )


def _volumes(key: str, pool: Pool) -> tuple[VolumePlan, ...]:
    if isinstance(pool, StorageSettings):
        return tuple(
            VolumePlan(
                name=f"{key}-{volume.name}",
                size_gib=volume.size_gib,
                type=volume.type,
                mount_point=volume.mount_to,
                binds=(),
                keep=pool.keep_volumes,
                adopt=volume.adopt,
            )
            for volume in pool.volumes
        )
    if isinstance(pool, RegistrySettings):
        images = VolumePlan(
            name=f"{key}-images",
            size_gib=pool.volume_gib,
            type=None,
            mount_point=REGISTRY_MOUNT_POINT,
            binds=(),
            keep=pool.keep_volume,
            adopt=pool.adopt,
        )
        return (images,)
    if not isinstance(pool, ControlPlaneSettings) or pool.volume_gib is None:
        return ()
    return (
        VolumePlan(
            name=f"{key}-state",
            size_gib=pool.volume_gib,
            type=pool.volume_type,
            mount_point=STATE_MOUNT_POINT,
            binds=STATE_BINDS,
        ),
    )


def _labels(
    pool_name: str,
    pool: Pool,
    made_from: MadeFrom,
) -> dict[str, str]:
    if not isinstance(pool, NodePool):
        return {}
    zone = {ZONE_LABEL: made_from.availability_zone} if made_from.availability_zone else {}
    return {POOL_LABEL: pool_name, **zone, **pool.labels}


def _drain(cluster: DrainSettings, pool: Pool) -> DrainPlan:
    drain = (pool.drain if isinstance(pool, WorkerPoolSettings) else None) or cluster
    return DrainPlan(grace_s=drain.grace_s, timeout_s=drain.timeout_s, policy=drain.policy)


def _proxy(settings: ClusterSettings) -> ProxyPlan | None:
    proxy = settings.network.proxy
    if proxy is None:
        return None
    ranges = (settings.network.cidr, settings.kubernetes.pod_cidr, settings.kubernetes.service_cidr)
    own = (*NEVER_PROXIED, *(str(network) for network in ranges if network))
    return ProxyPlan(
        http=proxy.http or "",
        https=proxy.https or "",
        no_proxy=",".join(dict.fromkeys((*own, *proxy.no_proxy))),
    )
