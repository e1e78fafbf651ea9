"""A registry machine keeps images on its volume and hands them out, over TLS, to who can log in."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi

from components.machine import Machine
from components.remote_script import RemoteFile, RemoteFileArgs, RemoteScript, RemoteScriptArgs

ARCHIVE_ON_MACHINE = "nodewright-registry.tar"


@dataclass(frozen=True, kw_only=True)
class RegistryArchive:
    """A container image archive that the registry's program is taken out of."""

    file: str
    """Path in the project."""
    layer: str
    """Path of a layer in the archive, and of the program in this layer."""
    program: str
    sha256: str
    """Of the program."""


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
    archive: RegistryArchive | None = None
    """`None` where the registry is a package of the machine."""


class Registry(pulumi.ComponentResource):
    serving: pulumi.Resource
    """The step after which images can be pulled."""

    def __init__(self, name: str, args: RegistryArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("nodewright:cluster:Registry", name, {}, opts)

        archive = args.archive
        unpacked = [self._unpack(name, args.machine, archive)] if archive else []

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
                    # Content: another program is a reason to restart the service and to look whether it answers.
                    **({"PROGRAM_SHA256": archive.sha256} if archive else {}),
                },
                triggers=[args.machine.server_id],
            ),
            # Only order: the server and the volume come with the preparation, or the server out of its archive.
            pulumi.ResourceOptions(parent=self, depends_on=[*args.machine.prepared, *unpacked]),
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

    def _unpack(self, name: str, machine: Machine, archive: RegistryArchive) -> pulumi.Resource:
        """Bring the registry's program to a machine that reaches no package source."""
        copied = RemoteFile(
            f"{name}-archive",
            RemoteFileArgs(
                host=machine.host, source=archive.file, path=ARCHIVE_ON_MACHINE, triggers=[machine.server_id]
            ),
            # Only order: the first contact waits for a machine that boots, this does not.
            pulumi.ResourceOptions(parent=self, depends_on=machine.prepared),
        )
        return RemoteScript(
            f"{name}-unpack",
            RemoteScriptArgs(
                host=machine.host,
                script="registry-unpack",
                variables={
                    "ARCHIVE": ARCHIVE_ON_MACHINE,
                    "LAYER": archive.layer,
                    "PROGRAM": archive.program,
                    "PROGRAM_SHA256": archive.sha256,
                },
                triggers=[machine.server_id],
            ),
            # Only order: there is nothing to unpack before the archive has come.
            pulumi.ResourceOptions(parent=self, depends_on=[copied]),
        )
