"""The workers of every pool serve: all at once when they are new, a few at a time when they leave or are replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pulumi

from components.machine import Machine
from components.membership import Membership, NodeArgs, Steward
from components.remote_script import RemoteScript


@dataclass(frozen=True, kw_only=True)
class WorkersArgs:
    nodes: Sequence[NodeArgs]
    steward: Steward
    leaves_at_once: int
    finished: Mapping[str, pulumi.Resource]
    """The step after which each other machine, by its key, is finished."""


class Workers(pulumi.ComponentResource):
    machines: dict[str, Machine]
    members: dict[str, RemoteScript]
    """The step after which each machine serves."""

    def __init__(self, name: str, args: WorkersArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("nodewright:cluster:Workers", name, {"count": len(args.nodes)}, opts)
        child = pulumi.ResourceOptions(parent=self)

        self.machines = {}
        self.members = {}
        finished = dict(args.finished)
        for node in args.nodes:
            # Only order: who leaves now leaves by today's settings.
            settings = [args.steward.drain_settings] if node.replaced and args.steward.drain_settings else []
            after = [*settings, *(finished[key] for key in node.after)]
            machine = Machine(node.key, replace(node.machine, after=after), child)
            # Resources go in the opposite order to the one they came in: this bounds how many are drained at once.
            turn = len(self.members) - args.leaves_at_once
            in_turn = list(self.members.values())[turn : turn + 1] if turn >= 0 else []
            membership = Membership(node, machine, args.steward, in_turn, child)
            self.members[node.key] = finished[node.key] = membership.member
            self.machines[node.key] = machine

        self.register_outputs({})
