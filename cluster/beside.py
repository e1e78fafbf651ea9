"""What stands beside the nodes: storage and registry, and what the cluster is told of them."""

from __future__ import annotations

from collections.abc import Mapping

import pulumi

from cluster import certificates, ganesha, keys, registries, registry_config
from cluster.keys import SecretError
from cluster.plan import ClusterPlan, RegistryAccessPlan, RegistryPlan, StoragePlan
from cluster.registries import Registry as KnownRegistry
from cluster.settings.registry import RegistryTls
from components.berth import Berth
from components.kubernetes_api import KubernetesApi
from components.machine import Machine
from components.membership import Steward
from components.persistent_volumes import PersistentVolumes, PersistentVolumesArgs, VolumeManifest
from components.registry import Registry, RegistryArchive, RegistryArgs
from components.registry_access import Attachment, RegistryAccess, RegistryAccessArgs
from components.storage import Storage, StorageArgs, StorageGuard, StorageGuardArgs

OWN_PASSWORD = "registry"  # a key in `nodewright:secrets`  # noqa: S105
OWN_KEY = "registry-key"


def make_guard(plan: ClusterPlan, steward: Steward, berth: Berth | None) -> pulumi.Resource:
    """Ask who uses the storage, before it changes or goes."""
    storage = plan.storage
    guard = StorageGuard(
        "storage-guard",
        StorageGuardArgs(
            cluster_name=plan.name,
            steward=steward,
            address=berth.address if berth else plan.former_storage_address or "",
            exports={export.directory: export.volume for export in storage.exports} if storage else {},
            persistent_volumes={volume.name: volume.path for volume in storage.persistent_volumes} if storage else {},
            allow_data_loss=storage.allow_data_loss if storage else False,
        ),
    )
    return guard.passed


def make_storage(plan: StoragePlan, machine: Machine, guard: pulumi.Resource) -> Storage:
    """Serve the exports."""
    mount_points = list(plan.mount_points.values())
    return Storage(
        "storage",
        StorageArgs(
            machine=machine,
            configuration=ganesha.render(exports=plan.exports, first_mount_point=mount_points[0]),
            mount_points=mount_points,
            directories=plan.directories,
            exports=[export.directory for export in plan.exports],
            guard=guard,
        ),
    )


def make_persistent_volumes(
    name: str, plan: StoragePlan, berth: Berth, api: KubernetesApi, storage: Storage
) -> PersistentVolumes:
    """Tell Kubernetes what is served."""
    return PersistentVolumes(
        "persistent-volumes",
        PersistentVolumesArgs(
            cluster_name=name,
            api=api,
            server=berth.address,
            volumes=[
                VolumeManifest(name=volume.name, volume=volume.volume, metadata=volume.metadata, spec=volume.spec)
                for volume in plan.persistent_volumes
            ],
            classes=plan.storage_classes,
            serving=[storage.serving],
        ),
    )


class Registries:
    """What the stack knows about registries: its own and others, with their logins."""

    def __init__(self, plan: ClusterPlan, secret: str, passwords: Mapping[str, str]) -> None:
        self._plan = plan
        self._secret = secret
        self._passwords = passwords
        _check_passwords(plan, passwords)
        self._known = [(access, self._registry(access)) for access in plan.registry_access]

    def for_nodes(self) -> pulumi.Input[str] | None:
        """What every node is told; nothing for a cluster that never heard of registries."""
        if not self._plan.tells_registries:
            return None
        text = registries.render([registry for _, registry in self._known])
        return pulumi.Output.secret(text) if any(registry.login for _, registry in self._known) else text

    def hosts_entries(self, berth: Berth | None) -> pulumi.Input[str]:
        """Where registries are that no DNS knows."""
        given = [access.hosts for access in self._plan.registry_access if access.hosts]
        own = self._plan.registry
        if own is None or berth is None:
            return "\n".join(given)
        return berth.address.apply(lambda address: "\n".join([f"{address} {own.host}", *given]))

    def make_own(self, plan: RegistryPlan, machine: Machine, mount_point: str) -> Registry:
        """Serve the cluster's own registry."""
        certificate, key = self._certificate(plan, machine)
        http_secret = keys.password(self._secret, "registry-http")
        return Registry(
            "registry",
            RegistryArgs(
                machine=machine,
                configuration=pulumi.Output.secret(
                    registry_config.render(plan, mount_point=mount_point, http_secret=http_secret)
                ),
                host=plan.host,
                port=plan.port,
                mount_point=mount_point,
                username=plan.username,
                password=pulumi.Output.secret(self._own_password()),
                certificate=certificate,
                key=key,
                ca=self._own_ca(plan),
                collection=plan.collect,
                archive=_archive(plan),
            ),
        )

    def make_access(self, api: KubernetesApi) -> RegistryAccess:
        """Let pods log in."""
        own = self._plan.registry
        return RegistryAccess(
            "registry-access",
            RegistryAccessArgs(
                api=api,
                attachments=[
                    Attachment(
                        namespace=place.namespace,
                        service_accounts=place.service_accounts,
                        server=registry.server,
                        docker_config=pulumi.Output.secret(
                            registry_config.docker_config(
                                registry.server, registry.username or "", registry.password or ""
                            )
                        ),
                    )
                    for access, registry in self._known
                    for place in access.pull_secrets
                ],
                hosting=own.server if own else None,
            ),
        )

    def outputs(self) -> dict[str, str] | None:
        """Say how the cluster's own registry is used."""
        own = self._plan.registry
        if own is None:
            return None
        return {
            "server": own.server,
            "username": own.username,
            "password": self._own_password(),
            "ca": self._own_ca(own),
        }

    def _registry(self, access: RegistryAccessPlan) -> KnownRegistry:
        own = self._plan.registry if access.own else None
        password = self._own_password() if own else self._passwords.get(f"registry/{access.server}")
        return KnownRegistry(
            server=access.server,
            https=access.https,
            ca=self._own_ca(own) if own else access.ca,
            mirror_of=access.mirror_of,
            username=access.username,
            password=password if access.username else None,
            own=access.own,
        )

    def _own_password(self) -> str:
        return self._passwords.get(OWN_PASSWORD) or keys.password(self._secret, "registry")

    def _own_ca(self, plan: RegistryPlan) -> str:
        if plan.tls is RegistryTls.CLUSTER_CA:
            return certificates.registry_ca(self._secret, self._plan.name)
        return next((access.ca for access in self._plan.registry_access if access.own), "")

    def _certificate(self, plan: RegistryPlan, machine: Machine) -> tuple[pulumi.Input[str], pulumi.Input[str]]:
        if plan.tls is RegistryTls.NONE:
            return "", ""
        if plan.tls is RegistryTls.OWN:
            return plan.certificate, pulumi.Output.secret(self._passwords[OWN_KEY])
        made = machine.address.apply(
            lambda address: certificates.registry_certificate(
                self._secret, self._plan.name, plan.host, address, plan.certificate_generation
            )
        )
        return made.apply(lambda pair: pair.certificate), pulumi.Output.secret(made.apply(lambda pair: pair.key))


def _archive(plan: RegistryPlan) -> RegistryArchive | None:
    if plan.archive is None:
        return None
    program = plan.archive.program
    return RegistryArchive(file=plan.archive.file, layer=program.layer, program=program.path, sha256=program.sha256)


def _check_passwords(plan: ClusterPlan, passwords: Mapping[str, str]) -> None:
    """Every password that is needed is there; all that are not are said at once."""
    wanted = [f"registry/{access.server}" for access in plan.registry_access if access.username and not access.own]
    if plan.registry and plan.registry.tls is RegistryTls.OWN:
        wanted.append(OWN_KEY)
    missing = [key for key in wanted if not passwords.get(key)]
    if missing:
        lines = "\n".join(f"  pulumi config set --secret --path 'nodewright:secrets[\"{key}\"]'" for key in missing)
        msg = f"reading nodewright:secrets: {', '.join(missing)} is missing; nothing was changed; run:\n{lines}"
        raise SecretError(msg)
