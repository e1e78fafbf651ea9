"""A registry machine keeps images on its volume and hands them out, over TLS, to who can log in."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi

from components.machine import Machine
from components.remote_script import RemoteScript, RemoteScriptArgs


@dataclass(frozen=True, kw_only=True)
class RegistryArgs:
    machine: Machine
    configuration: pulumi.Input[str]
    """config.yml as a whole."""
    host: str
    port: int
    mount_point: str
    username: str
    password: pulumi.Input[str]
    certificate: pulumi.Input[str]
    """Certificate and key in PEM form, and the CA to check them against; empty without TLS."""
    key: pulumi.Input[str]
    ca: str
    collection: int
    """The number of the last wished collection of garbage; 0 for none."""


class Registry(pulumi.ComponentResource):
    serving: pulumi.Resource
    """The step after which images can be pulled."""

    def __init__(self, name: str, args: RegistryArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("nodewright:cluster:Registry", name, {}, opts)

        self.serving = RemoteScript(
            f"{name}-configure",
            RemoteScriptArgs(
                host=args.machine.host,
                script="registry-configure",
                variables={
                    "CONFIG": args.configuration,
                    "REGISTRY_HOST": args.host,
                    "PORT": str(args.port),
                    "MOUNT_POINT": args.mount_point,
                    "USERNAME": args.username,
                    "PASSWORD": args.password,
                    "CERTIFICATE": args.certificate,
                    "KEY": args.key,
                    "CA": args.ca,
                },
                triggers=[args.machine.server_id],
            ),
            # Only order: the server and the volume come with the preparation.
            pulumi.ResourceOptions(parent=self, depends_on=args.machine.prepared),
        )

        if args.collection:
            RemoteScript(
                f"{name}-collect",
                RemoteScriptArgs(
                    host=args.machine.host,
                    script="registry-collect",
                    # Content: every new number is a new collection; a new machine is no reason for one.
                    variables={"COLLECTION": str(args.collection)},
                ),
                # Only order: there is nothing to collect in a registry that does not run.
                pulumi.ResourceOptions(parent=self, depends_on=[self.serving]),
            )

        self.register_outputs({})
