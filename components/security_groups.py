"""A security group for each role exists and lets in only what the role is there for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pulumi
from pulumi_openstack import networking

CONTROL_PLANE = "control-plane"
WORKER = "worker"
LOAD_BALANCER = "load-balancer"
STORAGE = "storage"
REGISTRY = "registry"
NODES = (CONTROL_PLANE, WORKER)
# Version 4 needs the first port only; the others are version 3's.
NFS_PORTS = {"nfs": 2049, "nfs-portmapper": 111, "nfs-mountd": 20048}


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Lets `source` in: a role whose machines may come, or a network in CIDR form."""

    name: str
    source: str
    protocol: str | None
    """`None`: whatever it speaks."""
    ports: tuple[int, int] | None = None


@dataclass(frozen=True, kw_only=True)
class ServicePort:
    """A port that the load balancer opens for a service in the cluster."""

    name: str
    port: int
    allowed_cidrs: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class SecurityGroupsArgs:
    cluster_name: str
    bastion: str | None
    """The role that SSH enters by; `None` when every machine is reached directly."""
    has_load_balancer: bool
    any_traffic_between_nodes: bool
    """For a network plugin whose ports nobody told us; flannel needs one."""
    ssh_allowed_cidrs: Sequence[str]
    api_allowed_cidrs: Sequence[str]
    node_port_allowed_cidrs: Sequence[str]
    services: Sequence[ServicePort] = ()
    nfs_clients: Sequence[str] | None = None
    """Networks that may mount exports; `None` without a storage machine."""
    registry_port: int | None = None
    """`None` without a registry machine."""
    registry_allowed_cidrs: Sequence[str] = ()


class SecurityGroups(pulumi.ComponentResource):
    ids: dict[str, pulumi.Output[str]]

    def __init__(self, name: str, args: SecurityGroupsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("nodewright:cluster:SecurityGroups", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)

        table = rules(args)
        groups = {
            role: networking.SecGroup(
                f"{name}-{role}",
                name=f"{args.cluster_name}-{role}",
                description=f"{role} machines of the cluster {args.cluster_name}",
                opts=child,
            )
            for role in table
        }
        for role, allowed in table.items():
            for rule in allowed:
                low, high = rule.ports or (None, None)
                networking.SecGroupRule(
                    f"{name}-{role}-{rule.name}-from-{rule.source.replace('/', '-')}",
                    security_group_id=groups[role].id,
                    direction="ingress",
                    ethertype="IPv4",
                    protocol=rule.protocol,
                    port_range_min=low,
                    port_range_max=high,
                    remote_group_id=groups[rule.source].id if rule.source in groups else None,
                    remote_ip_prefix=None if rule.source in groups else rule.source,
                    opts=child,
                )

        self.ids = {role: group.id for role, group in groups.items()}
        self.register_outputs({"ids": self.ids})


def rules(args: SecurityGroupsArgs) -> dict[str, list[Rule]]:
    """What each role lets in. Pure, so that the table can be read and tested without a cloud."""
    front = [LOAD_BALANCER] if args.has_load_balancer else []
    beside = [] if args.nfs_clients is None else [STORAGE]
    beside += [] if args.registry_port is None else [REGISTRY]
    table: dict[str, list[Rule]] = {role: [] for role in (*NODES, *front, *beside)}

    for role in table:
        table[role] += _ssh(role, args)
        table[role] += [Rule(name="ping", source=source, protocol="icmp") for source in table]

    for source in (*NODES, *front):
        table[CONTROL_PLANE].append(Rule(name="api", source=source, protocol="tcp", ports=(6443, 6443)))
    table[CONTROL_PLANE].append(Rule(name="etcd", source=CONTROL_PLANE, protocol="tcp", ports=(2379, 2380)))
    for role in NODES:
        for source in NODES:
            table[role].append(Rule(name="kubelet", source=source, protocol="tcp", ports=(10250, 10250)))
            table[role].append(
                Rule(name="pods", source=source, protocol=None)
                if args.any_traffic_between_nodes
                else Rule(name="pods-vxlan", source=source, protocol="udp", ports=(8472, 8472)),
            )
    for source in (*front, *args.node_port_allowed_cidrs):
        table[WORKER].append(Rule(name="node-ports", source=source, protocol="tcp", ports=(30000, 32767)))

    entrance = LOAD_BALANCER if args.has_load_balancer else CONTROL_PLANE
    for cidr in args.api_allowed_cidrs:
        table[entrance].append(Rule(name="api", source=cidr, protocol="tcp", ports=(6443, 6443)))
    if args.has_load_balancer:
        for source in NODES:
            table[LOAD_BALANCER].append(Rule(name="api", source=source, protocol="tcp", ports=(6443, 6443)))
        for service in args.services:
            for cidr in service.allowed_cidrs:
                ports = (service.port, service.port)
                rule = Rule(name=f"service-{service.name}", source=cidr, protocol="tcp", ports=ports)
                table[LOAD_BALANCER].append(rule)
    for role, source, name, port in _beside(args):
        table[role].append(Rule(name=name, source=source, protocol="tcp", ports=(port, port)))
    return table


def _beside(args: SecurityGroupsArgs) -> Iterator[tuple[str, str, str, int]]:
    """Role, source, name and port of what storage and registry let in."""
    for cidr in args.nfs_clients or ():
        for name, port in NFS_PORTS.items():
            yield STORAGE, cidr, name, port
    if args.registry_port is not None:
        for source in (*NODES, *args.registry_allowed_cidrs):
            yield REGISTRY, source, "registry", args.registry_port


def _ssh(role: str, args: SecurityGroupsArgs) -> list[Rule]:
    sources = list(args.ssh_allowed_cidrs) if args.bastion in (None, role) else []
    if args.bastion is not None:
        sources.append(args.bastion)
    return [Rule(name="ssh", source=source, protocol="tcp", ports=(22, 22)) for source in sources]
