"""A server's network cards: veth pairs between its network namespace and the bridges of Neutron's agent."""

from pathlib import Path
from typing import Any

from lab.drivers.commands import run

MOST_CARDS = 64


def tap(vif: dict[str, Any]) -> str:
    return vif.get("devname") or f"tap{vif['id'][:11]}"


def link_exists(name: str) -> bool:
    return Path(f"/sys/class/net/{name}").exists()


def netns_exists(netns: str) -> bool:
    return Path(f"/run/netns/{netns}").exists()


def plug_all(netns: str, vifs: list[dict[str, Any]]) -> None:
    if not netns_exists(netns):
        run("ip", "netns", "add", netns)
        run("ip", "-n", netns, "link", "set", "lo", "up")
    for vif in vifs:
        plug(netns, vif)


def plug(netns: str, vif: dict[str, Any]) -> None:
    if link_exists(tap(vif)):
        return
    present = run("ip", "-n", netns, "-oneline", "link")
    card = next(f"eth{i}" for i in range(MOST_CARDS) if f": eth{i}@" not in present)
    peer = f"v{vif['id'][:11]}"
    run("ip", "link", "add", tap(vif), "type", "veth", "peer", "name", peer)
    run("ip", "link", "set", peer, "netns", netns, "name", card, "address", vif["address"])
    mtu = str(vif["network"].get_meta("mtu") or 1500)
    # The agent leaves ports of compute hosts to Nova; with a hypervisor that is os-vif's job.
    bridge = vif["network"]["bridge"]
    if not link_exists(bridge):
        run("ip", "link", "add", bridge, "type", "bridge", "forward_delay", "0", check=False)
        run("ip", "link", "set", bridge, "up")
    run("ip", "link", "set", tap(vif), "mtu", mtu, "master", bridge, "up")
    run("ip", "-n", netns, "link", "set", card, "mtu", mtu, "up")
    for subnet in vif["network"]["subnets"]:
        address(netns, card, subnet)


def address(netns: str, card: str, subnet: dict[str, Any]) -> None:
    """What the machine would learn from DHCP or from its config drive."""
    prefix = subnet["cidr"].split("/")[1]
    for ip in subnet["ips"]:
        run("ip", "-n", netns, "addr", "add", f"{ip['address']}/{prefix}", "dev", card)
    for route in subnet["routes"]:
        gateway = route["gateway"]["address"]
        run("ip", "-n", netns, "route", "replace", str(route["cidr"]), "via", gateway, check=False)
    if subnet["gateway"] and subnet["gateway"]["address"] and subnet["ips"]:
        gateway = subnet["gateway"]["address"]
        run("ip", "-n", netns, "route", "add", "default", "via", gateway, "dev", card, check=False)


def unplug(vif: dict[str, Any]) -> None:
    if link_exists(tap(vif)):
        run("ip", "link", "del", tap(vif), check=False)


def remove(netns: str) -> None:
    if netns_exists(netns):
        run("ip", "netns", "del", netns, check=False)
