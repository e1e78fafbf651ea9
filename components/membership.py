"""A machine is a node of the cluster: joined, Ready, with its labels and taints; and is seen off when it goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from components.berth import Berth
from components.machine import Machine, MachineArgs
from components.remote_script import RemoteScript, RemoteScriptArgs

READY_TIMEOUT_S = 600
# A leave ends by itself within the drain's timeout; this is what the Node, the etcd member and the wires may take.
LEAVE_SLACK_S = 600


@dataclass(frozen=True, kw_only=True)
class Drain:
    """How pods leave a node before it goes."""

    pool: str
    """Today's settings are looked up by it when the node leaves; the ones here are those it came in with."""
    grace_s: int
    timeout_s: int
    policy: str


@dataclass(frozen=True, kw_only=True)
class Steward:
    """The control-plane machine that admits a node and sees it off. It stays, so a dead node can be seen off, too."""

    berth: Berth
    ready: Sequence[pulumi.Resource]
    """The steps after which it can serve."""
    drain_settings: pulumi.Resource | None = None
    """The step after which nodes leave by today's settings."""


@dataclass(frozen=True, kw_only=True)
class NodeArgs:
    """A node of the cluster: its machine, and what Kubernetes is to know about it."""

    key: str
    machine: MachineArgs
    kubernetes_version: str
    join_config: pulumi.Input[str]
    labels: Mapping[str, str]
    taints: Sequence[str]
    drain: Drain
    attempt: str
    """Changes with every try to bring a new machine in: tickets live for minutes, a try after an hour needs another."""
    replaced: bool = False
    """The machine is replaced in this `up`."""
    after: Sequence[str] = ()
    """Keys of the machines that must be finished before this one is touched."""

    @property
    def role(self) -> str:
        return self.machine.role

    def admission(self) -> dict[str, pulumi.Input[str]]:
        """The variables of `node-admit`."""
        return {
            **self.identity(),
            "LABELS": " ".join(f"{key}={value}" for key, value in sorted(self.labels.items())),
            "TAINTS": " ".join(self.taints),
            "READY_TIMEOUT_S": str(READY_TIMEOUT_S),
        }

    def identity(self) -> dict[str, pulumi.Input[str]]:
        return {"NODE_NAME": self.key, "ROLE": self.role}


class Membership(pulumi.ComponentResource):
    member: RemoteScript
    """The step after which the node serves; its removal is what takes the node out of the cluster."""

    def __init__(
        self,
        node: NodeArgs,
        machine: Machine,
        steward: Steward,
        in_turn: Sequence[pulumi.Resource] = (),
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("nodewright:cluster:Membership", node.key, {"role": node.role}, opts)

        join = self._join(node, machine, self._ticket(node, machine, steward))

        self.member = RemoteScript(
            f"{node.key}-member",
            RemoteScriptArgs(
                host=steward.berth.host,
                script="node-admit",
                leave_script="node-leave",
                variables={
                    **node.admission(),
                    "NODE_IP": machine.address,
                    "POOL": node.drain.pool,
                    "DRAIN_GRACE_S": str(node.drain.grace_s),
                    "DRAIN_TIMEOUT_S": str(node.drain.timeout_s),
                    "DRAIN_POLICY": node.drain.policy,
                },
                triggers=[machine.server_id],
                timeout_s=max(READY_TIMEOUT_S, node.drain.timeout_s) + LEAVE_SLACK_S,
            ),
            pulumi.ResourceOptions(
                parent=self,
                # Only order: a node is admitted after it joined, and leaves before its machine goes.
                depends_on=[join, *in_turn],
                # Destroying the whole cluster takes the steward away, too: then nobody leaves, all just go.
                deleted_with=steward.berth.port,
            ),
        )

        self.register_outputs({})

    def _ticket(self, node: NodeArgs, machine: Machine, steward: Steward) -> RemoteScript:
        return RemoteScript(
            f"{node.key}-ticket",
            RemoteScriptArgs(
                host=steward.berth.host,
                script="join-ticket",
                variables={
                    **node.identity(),
                    "NODE_IP": machine.address,
                    "KUBERNETES_VERSION": node.kubernetes_version,
                },
                triggers=[machine.server_id, node.attempt],
                secret_stdout=True,
            ),
            # Only order: the steward must be in service; and a ticket lives for minutes, so it is taken last.
            pulumi.ResourceOptions(parent=self, depends_on=[*steward.ready, *machine.prepared]),
        )

    def _join(self, node: NodeArgs, machine: Machine, ticket: RemoteScript) -> RemoteScript:
        return RemoteScript(
            f"{node.key}-join",
            RemoteScriptArgs(
                host=machine.host,
                script="node-join",
                variables={
                    **node.identity(),
                    "NODE_IP": machine.address,
                    "KUBERNETES_VERSION": node.kubernetes_version,
                    "KUBEADM_JOIN_CONFIG": node.join_config,
                    "TICKET": pulumi.Output.secret(ticket.stdout),
                },
                triggers=[machine.server_id],
            ),
            # Only order: who joins brings its packages and volumes along.
            pulumi.ResourceOptions(parent=self, depends_on=machine.prepared),
        )
