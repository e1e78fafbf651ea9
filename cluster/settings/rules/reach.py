"""Rules about reaching machines: bastion, floating IPs, proxy, and who is let in."""

import re
from collections.abc import Iterator

from cluster.settings.faults import Fault
from cluster.settings.network import Bastion
from cluster.settings.rules.parts import Parts

NO_PROXY_ENTRY = re.compile(r"\.?[A-Za-z0-9*]([-A-Za-z0-9.*]*[A-Za-z0-9])?(/\d{1,2})?(:\d{1,5})?")


def bastion_exists(parts: Parts) -> Iterator[Fault]:
    """The bastion is a machine of this cluster."""
    if parts.access and parts.access.bastion is Bastion.LOAD_BALANCER and not parts.has_load_balancer:
        yield Fault(
            "access.bastion", "is load-balancer, and there is none; add a load-balancer section or give control-plane"
        )


def floating_ips_have_a_source(parts: Parts) -> Iterator[Fault]:
    """A floating IP comes from an external network."""
    access, network = parts.access, parts.network
    if access is None or network is None or network.external:
        return
    if access.floating_ips:
        yield Fault(
            "network.external", "is missing; name the external network that gives every machine its floating IP"
        )
        return
    wished = access.bastion or (Bastion.LOAD_BALANCER if parts.has_load_balancer else Bastion.CONTROL_PLANE)
    from_load_balancer = parts.has_load_balancer and (parts.load_balancer is None or parts.load_balancer.external)
    if wished is Bastion.NONE or (wished is Bastion.LOAD_BALANCER and from_load_balancer):
        return
    yield Fault(
        "network.external",
        f"is missing; name the external network that gives the bastion ({wished.value}) its floating IP, "
        "or set access.bastion to none when this program runs inside the network",
    )


def people_are_let_in(parts: Parts) -> Iterator[Fault]:
    """Nobody on a list means that this program is locked out, too."""
    if parts.security is None:
        return
    lists = {
        "api-allowed-cidrs": parts.security.api_allowed_cidrs,
        "ssh-allowed-cidrs": parts.security.ssh_allowed_cidrs,
    }
    for key, networks in lists.items():
        if not networks:
            yield Fault(
                f"security.{key}", "is empty, which locks this program out; list at least the network it runs in"
            )


def authorized_keys_are_different(parts: Parts) -> Iterator[Fault]:
    """A key given twice is a key forgotten once, when it is taken away."""
    keys = [key.split()[1] for key in parts.access.authorized_keys] if parts.access else []
    if len(keys) != len(set(keys)):
        yield Fault("access.authorized-keys", "lists a key twice; keep one of them")


def proxy_says_something(parts: Parts) -> Iterator[Fault]:
    """A proxy section has a proxy, and exceptions that programs understand."""
    proxy = parts.network.proxy if parts.network else None
    if proxy is None:
        return
    if not proxy.http and not proxy.https:
        yield Fault("network.proxy", "names no proxy; give http, https or both, or remove the section")
    for place, entry in enumerate(proxy.no_proxy):
        if not NO_PROXY_ENTRY.fullmatch(entry):
            yield Fault(f"network.proxy.no-proxy.{place}", f"is {entry!r}; give one name, address or network per entry")


RULES = (
    bastion_exists,
    floating_ips_have_a_source,
    people_are_let_in,
    authorized_keys_are_different,
    proxy_says_something,
)
