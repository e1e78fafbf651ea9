"""A registry machine of the cluster's own, and the registries its nodes may use."""

from enum import StrEnum

from cluster.settings.pools import Pool
from cluster.settings.section import Section, setting
from cluster.settings.words import (
    Generation,
    Host,
    HostName,
    Network,
    PoolName,
    Port,
    ProjectPath,
    User,
    VolumeGib,
    VolumeId,
)

REGISTRY_PROGRAM = "registry"  # what it is called in its container images


class RegistryTls(StrEnum):
    """Whose certificate the registry machine shows."""

    CLUSTER_CA = "cluster-ca"
    OWN = "own"
    NONE = "none"


class Connection(StrEnum):
    """How a registry is spoken to."""

    HTTPS = "https"
    HTTP = "http"


class PullSecretSettings(Section):
    """Where in the cluster the login to a registry is put."""

    namespace: PoolName = setting("Namespace that gets the pull secret; it must exist.")
    service_accounts: tuple[PoolName, ...] = setting(
        "Service accounts it is attached to; their list of pull secrets becomes Nodewright's.", default=("default",)
    )


class RegistrySettings(Pool):
    """A private registry on a machine of its own, its images on a volume. Every node may pull from it."""

    volume_gib: VolumeGib = setting("Size of the volume that keeps the images; it can grow, never shrink.")
    adopt: VolumeId | None = setting("Id of a volume that is there already, with its images.", default=None)
    keep_volume: bool = setting(
        "Leave the volume in the cloud when the registry or the whole cluster is removed.", default=True, strict=True
    )
    host: HostName | None = setting(
        "Name it is known by, on every node; `registry.<cluster>.internal` when left out.", default=None
    )
    port: Port = setting("Port of the registry.", default=5000)
    username: User = setting(
        "Login. Its password is `registry` in `nodewright:secrets`, or made from the stack's secret.",
        default="nodewright",
    )
    archive: ProjectPath | None = setting(
        "Container image archive of a registry, like `docker save registry:2` writes it, whose program the machine "
        "runs; for machines that reach no package source.",
        default=None,
    )
    tls: RegistryTls = setting(
        "`cluster-ca` (a certificate of the cluster's own), `own` (yours) or `none`.", default=RegistryTls.CLUSTER_CA
    )
    certificate: ProjectPath | None = setting(
        "Your certificate and those that lead to its CA, with `tls: own`; its key is `registry-key` in "
        "`nodewright:secrets`.",
        default=None,
    )
    ca: ProjectPath | None = setting(
        "Certificate of the CA that signed yours; left out when every machine knows it anyway.", default=None
    )
    certificate_generation: Generation = setting(
        "Raise it by one to give the registry a new key and certificate of the same CA.", default=0
    )
    read_only: bool = setting("Refuse pushes.", default=False, strict=True)
    collect: Generation = setting("Raise it by one to delete what no image uses any more; pushes wait.", default=0)
    allowed_cidrs: tuple[Network, ...] = setting("Who may reach it beside the nodes.", default=())
    mirror_of: tuple[Host, ...] = setting("Registries whose images are looked for here first.", default=())
    pull_secrets: tuple[PullSecretSettings, ...] = setting("Where pods get the login.", default=())

    def known_as(self, cluster: str) -> str:
        """Give the name that nodes know it by."""
        return self.host or f"registry.{cluster}.internal"


class RegistryAccessSettings(Section):
    """A registry that every node may pull from."""

    server: Host = setting("Host of the registry, with its port.")
    connection: Connection = setting("`https` or `http`.", default=Connection.HTTPS)
    username: str | None = setting(
        "Login; its password is kept in `nodewright:secrets` under `registry/<server>`.", default=None, min_length=1
    )
    certificate: ProjectPath | None = setting("Certificate of the CA that signed the registry's.", default=None)
    hosts: str | None = setting("Entry for /etc/hosts, where no DNS knows the registry.", default=None)
    mirror_of: tuple[Host, ...] = setting("Registries whose images are looked for in this one first.", default=())
    pull_secrets: tuple[PullSecretSettings, ...] = setting("Where pods get the login.", default=())
