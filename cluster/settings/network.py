"""Where the machines are on the network, how they are reached, and who may reach them."""

from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network

from cluster.settings.section import Section, setting
from cluster.settings.words import AuthorizedKey, CloudName, Network, Url, User

EVERYWHERE = IPv4Network("0.0.0.0/0")


class ProxySettings(Section):
    """The proxy through which machines and containerd reach the outside."""

    http: Url | None = setting("Proxy for http.", default=None)
    https: Url | None = setting("Proxy for https.", default=None)
    no_proxy: tuple[str, ...] = setting(
        "Names, addresses and networks reached directly; the cluster's own ranges are always added.", default=()
    )


class NetworkSettings(Section):
    """A network of the cluster's own (`cidr`), or one that exists (`network` and `subnet`)."""

    cidr: Network | None = setting("Addresses of the machines, in a network made for them.", birth=True, default=None)
    network: CloudName | None = setting("Name or id of an existing network to use.", birth=True, default=None)
    subnet: CloudName | None = setting("Name or id of the existing network's subnet.", birth=True, default=None)
    external: CloudName | None = setting("External network for the router and for floating IPs.", default=None)
    dns_servers: tuple[IPv4Address, ...] = setting("Name servers that the subnet hands out.", default=())
    proxy: ProxySettings | None = setting("Proxy for machines that have no way out of their own.", default=None)

    @property
    def is_own(self) -> bool:
        """Tell whether the network is made for this cluster, and goes with it."""
        return self.cidr is not None


class Bastion(StrEnum):
    """The machine through which the others are reached over SSH."""

    LOAD_BALANCER = "load-balancer"
    CONTROL_PLANE = "control-plane"
    NONE = "none"


class AccessSettings(Section):
    """How machines are reached over SSH."""

    user: User = setting("The image's login user, with sudo.", default="debian")
    bastion: Bastion | None = setting(
        "Machine through which the others are reached; the load balancer where there is one, else the control plane.",
        default=None,
    )
    floating_ips: bool = setting("Give every machine a floating IP of its own.", default=False, strict=True)
    authorized_keys: tuple[AuthorizedKey, ...] = setting(
        "Public keys of people who may log in, beside the key of the stack.", default=()
    )


class SecuritySettings(Section):
    """Who outside the cluster may reach what; everything else is closed."""

    api_allowed_cidrs: tuple[Network, ...] = setting("Who reaches the Kubernetes API.", default=(EVERYWHERE,))
    ssh_allowed_cidrs: tuple[Network, ...] = setting("Who reaches the bastion by SSH.", default=(EVERYWHERE,))
    node_port_allowed_cidrs: tuple[Network, ...] = setting(
        "Who reaches NodePorts of the workers directly; the load balancer always does.", default=()
    )
