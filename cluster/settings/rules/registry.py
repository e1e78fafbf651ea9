"""Rules about the registry machine and the registries that nodes use."""

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address

from cluster.settings.certificates import check_certificates
from cluster.settings.faults import Fault
from cluster.settings.image_archive import check_image_archive
from cluster.settings.registry import REGISTRY_PROGRAM, Connection, PullSecretSettings, RegistryTls
from cluster.settings.rules.parts import Parts


def registry_certificate_fits(parts: Parts) -> Iterator[Fault]:
    """A certificate is given exactly when it is the user's own."""
    registry = parts.registry
    if registry is None:
        return
    if registry.port == 22:
        yield Fault("registry.port", "is 22, the port of SSH; take another, like 5000")
    if registry.archive:
        fault = check_image_archive(registry.archive, REGISTRY_PROGRAM)
        if fault:
            yield Fault("registry.archive", f"{registry.archive} {fault}")
    own = registry.tls is RegistryTls.OWN
    if own and not registry.certificate:
        yield Fault("registry.certificate", "is missing; give the file of your certificate, or set tls to cluster-ca")
    for key, file in (("certificate", registry.certificate), ("ca", registry.ca)):
        if file and not own:
            yield Fault(f"registry.{key}", f"is not used with tls {registry.tls.value}; set tls to own, or remove it")
        elif file:
            yield from _certificate_faults(f"registry.{key}", file)
    yield from _repeated_namespaces("registry", registry.pull_secrets)


def _repeated_namespaces(path: str, secrets: Sequence[PullSecretSettings]) -> Iterator[Fault]:
    for place, secret in enumerate(secrets):
        if secret.namespace in {other.namespace for other in secrets[:place]}:
            yield Fault(f"{path}.pull-secrets.{place}", f"names {secret.namespace} again; keep one of them")


def _certificate_faults(path: str, file: str) -> Iterator[Fault]:
    fault = check_certificates(file)
    if fault:
        yield Fault(path, f"{file} {fault}")


def registries_can_be_reached(parts: Parts) -> Iterator[Fault]:
    """Each registry is there once, with what its connection needs."""
    seen: set[str] = set()
    for place, registry in enumerate(parts.registries):
        path = f"registries.{place}"
        if registry.server in seen:
            yield Fault(f"{path}.server", f"is {registry.server}, which is listed before; keep one of them")
        seen.add(registry.server)
        if registry.connection is Connection.HTTP and registry.certificate:
            yield Fault(f"{path}.certificate", "is not used over http; set connection to https, or remove it")
        if registry.connection is Connection.HTTPS and registry.certificate:
            yield from _certificate_faults(f"{path}.certificate", registry.certificate)
        if parts.registry and registry.server.partition(":")[0] == parts.registry.known_as(parts.name or ""):
            yield Fault(
                f"{path}.server", f"is {registry.server}, the cluster's own, which every node may use; remove it"
            )
        if registry.hosts is not None and not _is_hosts_entry(registry.hosts):
            yield Fault(
                f"{path}.hosts", f"is {registry.hosts!r}; give an address and a name, like '10.20.0.9 reg.example'"
            )
        if registry.pull_secrets and not registry.username:
            yield Fault(f"{path}.pull-secrets", "need a login; give username, or remove them")
        yield from _repeated_namespaces(path, registry.pull_secrets)


def _is_hosts_entry(text: str) -> bool:
    address, *names = text.split() or [""]
    try:
        IPv4Address(address)
    except ValueError:
        return False
    return bool(names)


RULES = (registry_certificate_fits, registries_can_be_reached)
