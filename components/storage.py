"""A storage machine serves directories of its volumes over NFS; who uses them is asked before they change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from components.machine import Machine
from components.membership import Steward
from components.remote_script import RemoteScript, RemoteScriptArgs


@dataclass(frozen=True, kw_only=True)
class StorageArgs:
    machine: Machine
    configuration: str
    """ganesha.conf as a whole. Exports are content: when they change, it is put in place and reloaded."""
    mount_points: Sequence[str]
    directories: Sequence[str]
    exports: Sequence[str]
    guard: pulumi.Resource


class Storage(pulumi.ComponentResource):
    serving: pulumi.Resource
    """The step after which every export can be mounted."""

    def __init__(self, name: str, args: StorageArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("nodewright:cluster:Storage", name, {}, opts)

        self.serving = RemoteScript(
            f"{name}-configure",
            RemoteScriptArgs(
                host=args.machine.host,
                script="storage-configure",
                variables={
                    "GANESHA_CONF": args.configuration,
                    "MOUNT_POINTS": "\n".join(args.mount_points),
                    "DIRECTORIES": "\n".join(args.directories),
                    "EXPORTS": "\n".join(args.exports),
                },
                triggers=[args.machine.server_id],
            ),
            # Only order: the server and the volumes come with the preparation; and an export that a claim uses is
            # refused before it is taken away.
            pulumi.ResourceOptions(parent=self, depends_on=[*args.machine.prepared, args.guard]),
        )

        self.register_outputs({})


@dataclass(frozen=True, kw_only=True)
class StorageGuardArgs:
    """The storage as it will be; nothing of it when it goes."""

    cluster_name: str
    steward: Steward
    address: pulumi.Input[str]
    exports: Mapping[str, str]
    """The volume under each exported directory."""
    persistent_volumes: Mapping[str, str]
    """The directory of each PersistentVolume."""
    allow_data_loss: bool


class StorageGuard(pulumi.ComponentResource):
    """Runs whenever the storage is to change, before it does.

    It is an update, and updates come before all removals; when it refuses, nothing is removed. A heal changes
    nothing of what it is told, so a heal, which keeps the data, never waits for it.
    """

    passed: pulumi.Resource

    def __init__(self, name: str, args: StorageGuardArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("nodewright:cluster:StorageGuard", name, {}, opts)

        self.passed = RemoteScript(
            name,
            RemoteScriptArgs(
                host=args.steward.berth.host,
                script="storage-guard",
                variables={
                    "CLUSTER": args.cluster_name,
                    "SERVER": args.address,
                    "EXPORTS": _lines(args.exports),
                    "PERSISTENT_VOLUMES": _lines(args.persistent_volumes),
                    "ALLOW_DATA_LOSS": str(args.allow_data_loss).lower(),
                },
            ),
            # Only order: the API must answer.
            pulumi.ResourceOptions(parent=self, depends_on=list(args.steward.ready)),
        )

        self.register_outputs({})


def _lines(pairs: Mapping[str, str]) -> str:
    return "\n".join(f"{name} {value}" for name, value in sorted(pairs.items()))
