"""A load balancer answers in front of the API and of services, for exactly the members it was given."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi

from components.machine import Machine
from components.remote_script import RemoteScript, RemoteScriptArgs


@dataclass(frozen=True, kw_only=True)
class LoadBalancerArgs:
    machine: Machine
    configuration: pulumi.Input[str]
    """haproxy.cfg as a whole. Members are content: when they change, it is put in place and reloaded."""


class LoadBalancer(pulumi.ComponentResource):
    serving: RemoteScript
    """The step after which every member that lives is reached."""

    def __init__(self, name: str, args: LoadBalancerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("nodewright:cluster:LoadBalancer", name, {}, opts)

        self.serving = RemoteScript(
            f"{name}-configure",
            RemoteScriptArgs(
                host=args.machine.host,
                script="load-balancer-configure",
                variables={"HAPROXY_CFG": args.configuration},
                triggers=[args.machine.server_id],
            ),
            # Only order: haproxy comes with the preparation.
            pulumi.ResourceOptions(parent=self, depends_on=args.machine.prepared),
        )

        self.register_outputs({})
