"""A control plane serves: founded once, its members joined one after another, its add-ons at the cluster's version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pulumi

from components.machine import Machine
from components.membership import Membership, NodeArgs, Steward
from components.remote_script import RemoteScript, RemoteScriptArgs


@dataclass(frozen=True, kw_only=True)
class ControlPlaneArgs:
    nodes: Sequence[NodeArgs]
    """The first one founds the cluster."""
    init_config: pulumi.Input[str]
    cni_manifest: str
    kubernetes_version: str
    endpoint: pulumi.Input[str]
    """`host:port` at which the world outside reaches the API."""
    drain_settings: str
    """How pods leave the nodes of each pool today, as `drain-settings` wants it."""
    front: Mapping[str, pulumi.Resource]
    """What answers in front of the API, by the key of its machine."""


class ControlPlane(pulumi.ComponentResource):
    steward: Steward
    """Who admits workers and sees them off."""
    machines: dict[str, Machine]
    members: dict[str, RemoteScript]
    """The step after which each machine serves."""
    in_service: pulumi.Resource
    """The step after which all machines and add-ons are at the cluster's version."""
    kubeconfig: pulumi.Output[str]

    def __init__(self, name: str, args: ControlPlaneArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("nodewright:cluster:ControlPlane", name, {"count": len(args.nodes)}, opts)
        self._child = pulumi.ResourceOptions(parent=self)
        self.machines = {}
        self.members = {}

        founder = args.nodes[0]
        self._machine(founder, args)
        founded = self._found(name, args)
        make_members = self._restore if len(args.nodes) == 1 else self._join_in_turn
        serves = make_members(args, founded)
        self.steward = Steward(
            berth=founder.machine.berth, ready=[serves], drain_settings=self._drain_settings(name, args)
        )
        self.in_service = self._addons(name, args)
        self.kubeconfig = self._kubeconfig(name, args, serves)

        self.register_outputs({"kubeconfig": self.kubeconfig})

    def _machine(self, node: NodeArgs, args: ControlPlaneArgs) -> Machine:
        finished = {**args.front, **self.members}
        machine = Machine(node.key, replace(node.machine, after=[finished[key] for key in node.after]), self._child)
        self.machines[node.key] = machine
        return machine

    def _found(self, name: str, args: ControlPlaneArgs) -> RemoteScript:
        founder, *others = args.nodes
        return RemoteScript(
            f"{name}-init",
            RemoteScriptArgs(
                host=founder.machine.berth.host,
                script="control-plane-init",
                variables={
                    "NODE_NAME": founder.key,
                    "KUBEADM_CONFIG": args.init_config,
                    "CNI_MANIFEST": args.cni_manifest,
                    "PEERS": pulumi.Output.all(*(node.machine.berth.address for node in others)).apply(" ".join),
                },
            ),
            pulumi.ResourceOptions(
                parent=self,
                # Only order: kubeadm asks for the API where everybody will, so the load balancer must be there.
                depends_on=[*self.machines[founder.key].prepared, *args.front.values()],
                # A cluster is founded once in its life. No trigger, no change of content ever runs this again.
                ignore_changes=["stdin", "connection"],
            ),
        )

    def _restore(self, args: ControlPlaneArgs, founded: RemoteScript) -> pulumi.Resource:
        """A control plane of one has no peer to join through: it comes back from its volume."""
        founder = args.nodes[0]
        machine = self.machines[founder.key]
        restored = RemoteScript(
            f"{founder.key}-restore",
            RemoteScriptArgs(
                host=machine.host,
                script="control-plane-restore",
                variables={"NODE_NAME": founder.key, "KUBEADM_CONFIG": args.init_config},
                triggers=[machine.server_id],
            ),
            # Only order: there is nothing to restore before there is a cluster.
            pulumi.ResourceOptions(parent=self, depends_on=[founded, *machine.prepared]),
        )
        self.members[founder.key] = RemoteScript(
            f"{founder.key}-member",
            RemoteScriptArgs(
                host=machine.host,
                script="node-admit",
                variables=founder.admission(),
                triggers=[machine.server_id],
            ),
            # Only order: who is admitted must have come back.
            pulumi.ResourceOptions(parent=self, depends_on=[restored]),
        )
        return restored

    def _join_in_turn(self, args: ControlPlaneArgs, founded: RemoteScript) -> pulumi.Resource:
        """Etcd takes one member at a time, and each ticket's certificates take the place of the one before.

        The founder, too, is a member like any other, so it can be healed. Its steward is its first peer. When others
        wait for the founder's own replacement, the peer is as it was and serves; in every other case the founder comes
        last, so that the peer has joined.
        """
        founder, *others = args.nodes
        waited_for = any(founder.key in node.after for node in others)
        before: pulumi.Resource = founded
        for node in [founder, *others] if waited_for else [*others, founder]:
            machine = self.machines.get(node.key) or self._machine(node, args)
            host = others[0] if node is founder else founder
            steward = Steward(berth=host.machine.berth, ready=[before])
            before = self.members[node.key] = Membership(node, machine, steward, opts=self._child).member
        return self.members[founder.key] if founder.replaced else founded

    def _drain_settings(self, name: str, args: ControlPlaneArgs) -> pulumi.Resource:
        machine = self.machines[args.nodes[0].key]
        return RemoteScript(
            f"{name}-drain-settings",
            RemoteScriptArgs(
                host=machine.host,
                script="drain-settings",
                variables={"DRAIN_SETTINGS": args.drain_settings},
                triggers=[machine.server_id],
            ),
            # Only order: nothing is kept on a machine that is still being made fit.
            pulumi.ResourceOptions(parent=self, depends_on=machine.prepared),
        )

    def _addons(self, name: str, args: ControlPlaneArgs) -> pulumi.Resource:
        return RemoteScript(
            f"{name}-addons",
            RemoteScriptArgs(
                host=args.nodes[0].machine.berth.host,
                script="cluster-addons",
                variables={"KUBERNETES_VERSION": args.kubernetes_version, "CNI_MANIFEST": args.cni_manifest},
            ),
            # Only order: add-ons may not be newer than any API server.
            pulumi.ResourceOptions(parent=self, depends_on=list(self.members.values())),
        )

    def _kubeconfig(self, name: str, args: ControlPlaneArgs, serves: pulumi.Resource) -> pulumi.Output[str]:
        read = RemoteScript(
            f"{name}-kubeconfig",
            RemoteScriptArgs(
                host=args.nodes[0].machine.berth.host,
                script="kubeconfig-read",
                variables={"ENDPOINT": args.endpoint},
                secret_stdout=True,
            ),
            # Only order: there is none before the cluster is founded.
            pulumi.ResourceOptions(parent=self, depends_on=[serves]),
        )
        return pulumi.Output.secret(read.stdout)
