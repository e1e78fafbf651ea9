"""The machines have a network and a way out of it: of the cluster's own, or one that was there before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_openstack import networking

from components.cloud_names import find_network, find_subnet


@dataclass(frozen=True, kw_only=True)
class NetworkArgs:
    """Either `cidr`, for a network of the cluster's own, or `network` and `subnet`, names or ids of existing ones."""

    cluster_name: str
    cidr: str | None = None
    dns_servers: Sequence[str] = ()
    network: str | None = None
    subnet: str | None = None
    external: str | None = None
    """Name or id of the network outside; without one the machines have no way out and no floating IPs."""


class Network(pulumi.ComponentResource):
    network_id: pulumi.Output[str]
    subnet_id: pulumi.Output[str]
    way_out: list[pulumi.Resource]
    """What must be there before a floating IP can point at a machine, and go only after it."""

    def __init__(self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("nodewright:cluster:Network", name, {"cidr": args.cidr}, opts)

        self.way_out = []
        if args.cidr:
            self._make(name, args, args.cidr)
        else:
            self._find(args)

        self.register_outputs({"network_id": self.network_id, "subnet_id": self.subnet_id})

    def _make(self, name: str, args: NetworkArgs, cidr: str) -> None:
        child = pulumi.ResourceOptions(parent=self)
        network = networking.Network(name, name=args.cluster_name, admin_state_up=True, opts=child)

        subnet = networking.Subnet(
            name,
            name=args.cluster_name,
            network_id=network.id,
            cidr=cidr,
            ip_version=4,
            dns_nameservers=list(args.dns_servers),
            opts=child,
        )

        if args.external:
            router = networking.Router(
                name,
                name=args.cluster_name,
                admin_state_up=True,
                external_network_id=find_network(args.external, self),
                opts=child,
            )
            self.way_out = [networking.RouterInterface(name, router_id=router.id, subnet_id=subnet.id, opts=child)]

        self.network_id = network.id
        self.subnet_id = subnet.id

    def _find(self, args: NetworkArgs) -> None:
        if not (args.network and args.subnet):
            msg = "a network needs either `cidr`, or `network` and `subnet`"
            raise ValueError(msg)
        self.network_id = find_network(args.network, self)
        self.subnet_id = find_subnet(args.subnet, self.network_id, self)
