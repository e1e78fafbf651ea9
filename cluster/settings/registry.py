"""A registry machine of the cluster's own, and the registries its nodes may use."""

from enum import StrEnum

from cluster.settings.pools import Pool
from cluster.settings.section import Section, setting
from cluster.settings.words import Host, PoolName, Port, ProjectPath, VolumeGib


class RegistryTls(StrEnum):
    """Whose certificate the registry machine shows."""

    CLUSTER_CA = "cluster-ca"
    OWN = "own"
    NONE = "none"


class RegistrySettings(Pool):
    """A private registry on a machine of its own, its images on a volume."""

    volume_gib: VolumeGib = setting("Size of the volume that keeps the images.")
    port: Port = setting("Port of the registry.", default=5000)
    archive: ProjectPath | None = setting(
        "Image archive of the registry itself, where there is no internet.", default=None
    )
    tls: RegistryTls = setting(
        "`cluster-ca` (a certificate of the cluster's own), `own` (yours) or `none`.", default=RegistryTls.CLUSTER_CA
    )
    certificate: ProjectPath | None = setting("Your certificate, with `tls: own`.", default=None)
    read_only: bool = setting("Refuse pushes.", default=False, strict=True)


class Connection(StrEnum):
    """How a registry is spoken to."""

    HTTPS = "https"
    HTTP = "http"


class PullSecretSettings(Section):
    """Where in the cluster the login to a registry is put."""

    namespace: PoolName = setting("Namespace that gets the pull secret.")
    service_accounts: tuple[str, ...] = setting("Service accounts it is attached to.", default=("default",))


class RegistryAccessSettings(Section):
    """A registry that every node may pull from."""

    server: Host = setting("Host of the registry, with its port.")
    connection: Connection = setting("`https` or `http`.", default=Connection.HTTPS)
    username: str | None = setting(
        "Login; its password is kept in `nodewright:secrets` under `registry/<server>`.", default=None, min_length=1
    )
    certificate: ProjectPath | None = setting("Certificate of the CA that signed the registry's.", default=None)
    hosts: str | None = setting("Entry for /etc/hosts, where no DNS knows the registry.", default=None)
    mirror_of: tuple[Host, ...] = setting("Registries whose images are pulled from this one.", default=())
    pull_secrets: tuple[PullSecretSettings, ...] = setting("Where pods get the login.", default=())
