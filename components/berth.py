"""A place for a machine exists: a port with its address, volumes with its data. It outlives every machine in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_openstack import blockstorage, networking

from components.remote_script import Host

ADOPTED_AS_IT_IS = ["name", "description", "metadata", "availabilityZone", "volumeType", "enableOnlineResize"]


@dataclass(frozen=True, kw_only=True)
class DataVolume:
    """Data that outlives the machine. `binds` are directories of the machine that lie on it, `subdirectory:/target`."""

    name: str
    size_gib: int
    mount_point: str
    type: str | None = None
    binds: Sequence[str] = ()
    keep: bool = False
    """It stays in the cloud when it is removed from the stack."""
    adopt: str | None = None
    """Id of a volume that was there before."""


@dataclass(frozen=True, kw_only=True)
class Login:
    """Who logs in, and the pair of keys by which machine and program know each other."""

    user: str
    private_key: pulumi.Input[str]
    host_key: pulumi.Input[str]


@dataclass(frozen=True, kw_only=True)
class BerthArgs:
    cluster_name: str
    network_id: pulumi.Input[str]
    subnet_id: pulumi.Input[str]
    security_group_id: pulumi.Input[str]
    way_out: Sequence[pulumi.Resource]
    login: Login
    bastion: Host | None
    floating_ip_pool: str | None = None
    """The network outside from which the machine gets an address; `None` for a machine that needs none."""
    volumes: Sequence[DataVolume] = ()
    volumes_after: Sequence[pulumi.Resource] = ()
    """What must be finished before a volume is made or grows."""


class Berth(pulumi.ComponentResource):
    port: networking.Port
    address: pulumi.Output[str]
    public_address: pulumi.Output[str] | None
    volumes: list[tuple[DataVolume, blockstorage.Volume]]
    host: Host
    """The machine as SSH sees it, whichever one lies here."""

    def __init__(self, name: str, args: BerthArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("nodewright:cluster:Berth", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)

        self.port = networking.Port(
            name,
            name=name,
            network_id=args.network_id,
            fixed_ips=[networking.PortFixedIpArgs(subnet_id=args.subnet_id)],
            security_group_ids=[args.security_group_id],
            admin_state_up=True,
            opts=child,
        )

        floating_ip = args.floating_ip_pool and networking.FloatingIp(
            name,
            pool=args.floating_ip_pool,
            port_id=self.port.id,
            description=name,
            # Only order: an address can point inside only while the router leads there.
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(args.way_out)),
        )

        self.volumes = [(volume, self._volume(name, args, volume)) for volume in args.volumes]

        self.address = self.port.all_fixed_ips.apply(lambda addresses: addresses[0])
        self.public_address = floating_ip.address if floating_ip else None
        self.host = Host(
            address=self.public_address or self.address,
            user=args.login.user,
            private_key=args.login.private_key,
            host_key=args.login.host_key,
            bastion=None if floating_ip else args.bastion,
        )
        self.register_outputs({"address": self.address, "public_address": self.public_address})

    def _volume(self, name: str, args: BerthArgs, volume: DataVolume) -> blockstorage.Volume:
        return blockstorage.Volume(
            volume.name,
            name=volume.name,
            size=volume.size_gib,
            volume_type=volume.type,
            enable_online_resize=True,
            metadata={"nodewright-cluster": args.cluster_name, "nodewright-node": name},
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=list(args.volumes_after),
                retain_on_delete=volume.keep,
                import_=volume.adopt,
                # Whoever made an adopted volume chose these; it is taken over as it is.
                ignore_changes=ADOPTED_AS_IT_IS if volume.adopt else None,
            ),
        )
