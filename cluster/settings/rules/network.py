"""Rules about address ranges: whose network it is, overlaps, and room for every machine and pod."""

from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import combinations

from cluster.settings.faults import Fault
from cluster.settings.rules.parts import Parts

# Network, broadcast, gateway, and the address servers of a cloud that runs two of them.
TAKEN_ADDRESSES = 5
NODE_RANGE_LENGTH = 24
LARGEST_SERVICE_RANGE = 12
SMALLEST_SERVICE_RANGE = 24
UNUSABLE = {
    IPv4Network("0.0.0.0/8"): "this-network addresses",
    IPv4Network("127.0.0.0/8"): "addresses of the machine itself",
    IPv4Network("169.254.0.0/16"): "link-local addresses, where the cloud's metadata lives",
    IPv4Network("224.0.0.0/3"): "multicast and reserved addresses",
}


def network_is_own_or_existing(parts: Parts) -> Iterator[Fault]:
    """Either a network is made, or one is named with its subnet."""
    network = parts.network
    if network is None:
        return
    named = {"network": network.network, "subnet": network.subnet}
    given = [key for key, value in named.items() if value]
    if network.cidr and given:
        yield Fault(
            "network.cidr", f"is given beside {' and '.join(given)}; keep cidr for a new network, or the existing one"
        )
    elif not network.cidr and not given:
        yield Fault(
            "network.cidr", "is missing; give the range of a new network, or name an existing network and its subnet"
        )
    elif len(given) == 1:
        missing = "subnet" if given == ["network"] else "network"
        yield Fault(f"network.{missing}", f"is missing; name the {missing} that belongs to the existing {given[0]}")


def ranges_do_not_overlap(parts: Parts) -> Iterator[Fault]:
    """An address must mean one thing on a node."""
    for (path, one), (other_path, other) in combinations(_ranges(parts), 2):
        if one.overlaps(other):
            yield Fault(
                other_path, f"is {other}, which overlaps {path} {one}; choose ranges that have no address in common"
            )


def ranges_can_be_used(parts: Parts) -> Iterator[Fault]:
    """Some ranges are no one's to give."""
    for path, network in _ranges(parts):
        for unusable, what in UNUSABLE.items():
            if network.overlaps(unusable):
                yield Fault(path, f"is {network}, which holds {what}; choose a private range, like 10.20.0.0/24")


def ranges_have_room(parts: Parts) -> Iterator[Fault]:
    """Every machine needs an address, and every node a range for its pods."""
    cidr = parts.network.cidr if parts.network else None
    if cidr and cidr.num_addresses - TAKEN_ADDRESSES < parts.machine_count:
        room = max(0, cidr.num_addresses - TAKEN_ADDRESSES)
        yield Fault(
            "network.cidr", f"is {cidr} with room for {room} of {parts.machine_count} machines; give a larger network"
        )
    if parts.kubernetes is None:
        return
    pods, services = parts.kubernetes.pod_cidr, parts.kubernetes.service_cidr
    room = 2 ** (NODE_RANGE_LENGTH - pods.prefixlen) if pods.prefixlen <= NODE_RANGE_LENGTH else 0
    if room < parts.node_count or room == 0:
        yield Fault(
            "kubernetes.pod-cidr",
            f"is {pods} with room for {room} of {parts.node_count} nodes, each takes a /{NODE_RANGE_LENGTH}; "
            "give a larger network, like 10.244.0.0/16",
        )
    if not LARGEST_SERVICE_RANGE <= services.prefixlen <= SMALLEST_SERVICE_RANGE:
        yield Fault(
            "kubernetes.service-cidr",
            f"is {services}; give a network from /{LARGEST_SERVICE_RANGE} to /{SMALLEST_SERVICE_RANGE}, "
            "like 10.96.0.0/16",
        )


def _ranges(parts: Parts) -> list[tuple[str, IPv4Network]]:
    ranges: list[tuple[str, IPv4Network]] = []
    if parts.network and parts.network.cidr:
        ranges.append(("network.cidr", parts.network.cidr))
    if parts.kubernetes:
        ranges.append(("kubernetes.pod-cidr", parts.kubernetes.pod_cidr))
        ranges.append(("kubernetes.service-cidr", parts.kubernetes.service_cidr))
    return ranges


RULES = (network_is_own_or_existing, ranges_do_not_overlap, ranges_can_be_used, ranges_have_room)
