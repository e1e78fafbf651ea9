"""Which registries nodes and pods use: the cluster's own first, then those of the stack's list."""

from dataclasses import dataclass

from cluster.settings import ClusterSettings, RegistryAccessSettings, RegistrySettings
from cluster.settings.certificates import read_certificates
from cluster.settings.image_archive import ArchivedProgram, find_program
from cluster.settings.registry import REGISTRY_PROGRAM, Connection, RegistryTls

HTTPS_PORT = 443
HTTP_PORT = 80


@dataclass(frozen=True, kw_only=True)
class PullSecretPlan:
    """Where in the cluster the login is put."""

    namespace: str
    service_accounts: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RegistryAccessPlan:
    """A registry as nodes and pods see it."""

    server: str
    https: bool
    username: str | None
    ca: str
    """Certificates that its own is checked against; empty for those that every machine knows."""
    hosts: str
    """Entry for /etc/hosts, or nothing."""
    mirror_of: tuple[str, ...]
    pull_secrets: tuple[PullSecretPlan, ...]
    own: bool = False
    """The cluster's own: its address and its CA are known to the program only."""


@dataclass(frozen=True, kw_only=True)
class RegistryArchivePlan:
    """Where the registry's program comes from when it is no package."""

    file: str
    """Path in the project."""
    program: ArchivedProgram


@dataclass(frozen=True, kw_only=True)
class RegistryPlan:
    """The registry machine's service."""

    host: str
    port: int
    username: str
    tls: RegistryTls
    certificate: str
    """The user's own certificates; empty for one made by the program."""
    certificate_generation: int
    read_only: bool
    collect: int
    allowed_cidrs: tuple[str, ...]
    archive: RegistryArchivePlan | None

    @property
    def server(self) -> str:
        """What an image's name begins with."""
        standard = HTTP_PORT if self.tls is RegistryTls.NONE else HTTPS_PORT
        return self.host if self.port == standard else f"{self.host}:{self.port}"


def registry_plan(settings: ClusterSettings) -> RegistryPlan | None:
    """Plan the service of the registry machine."""
    registry = settings.registry
    if registry is None:
        return None
    return RegistryPlan(
        host=registry.known_as(settings.name),
        port=registry.port,
        username=registry.username,
        tls=registry.tls,
        certificate=read_certificates(registry.certificate) if registry.certificate else "",
        certificate_generation=registry.certificate_generation,
        read_only=registry.read_only,
        collect=registry.collect,
        allowed_cidrs=tuple(str(cidr) for cidr in registry.allowed_cidrs),
        archive=_archive_plan(registry.archive) if registry.archive else None,
    )


def _archive_plan(file: str) -> RegistryArchivePlan:
    return RegistryArchivePlan(file=file, program=find_program(file, REGISTRY_PROGRAM))


def registry_access_plans(settings: ClusterSettings, own: RegistryPlan | None) -> tuple[RegistryAccessPlan, ...]:
    """Plan the access to every registry."""
    mine = (_own_access(settings.registry, own),) if settings.registry and own else ()
    return (*mine, *(_access(registry) for registry in settings.registries))


def _own_access(registry: RegistrySettings, own: RegistryPlan) -> RegistryAccessPlan:
    return RegistryAccessPlan(
        server=own.server,
        https=own.tls is not RegistryTls.NONE,
        username=own.username,
        ca=read_certificates(registry.ca) if registry.ca else "",
        hosts="",
        mirror_of=registry.mirror_of,
        pull_secrets=_pull_secrets(registry),
        own=True,
    )


def _access(registry: RegistryAccessSettings) -> RegistryAccessPlan:
    return RegistryAccessPlan(
        server=registry.server,
        https=registry.connection is Connection.HTTPS,
        username=registry.username,
        ca=read_certificates(registry.certificate) if registry.certificate else "",
        hosts=registry.hosts or "",
        mirror_of=registry.mirror_of,
        pull_secrets=_pull_secrets(registry),
    )


def _pull_secrets(registry: RegistrySettings | RegistryAccessSettings) -> tuple[PullSecretPlan, ...]:
    return tuple(
        PullSecretPlan(namespace=secret.namespace, service_accounts=secret.service_accounts)
        for secret in registry.pull_secrets
    )
