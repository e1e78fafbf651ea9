"""The engine's steps in words of the domain: which machine, which part of it, what happens to it."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

SERVER = "openstack:compute/instance:Instance"
PORT = "openstack:networking/port:Port"
VOLUME = "openstack:blockstorage/volume:Volume"
FLOATING_IP = "openstack:networking/floatingIp:FloatingIp"
SECURITY_RULE = "openstack:networking/secGroupRule:SecGroupRule"
COMMAND = "command:remote:Command"
FILE = "command:remote:CopyToRemote"
KINDS = {
    "Command": "step",
    "CopyToRemote": "file",
    "Port": "port",
    "Volume": "volume",
    "Network": "network",
    "Subnet": "subnet",
    "Router": "router",
    "RouterInterface": "router interface",
    "SecGroup": "security group",
    "SecGroupRule": "security rule",
    "ServerGroup": "server group",
}
SILENT_TYPES = ("pulumi:pulumi:Stack", "pulumi:providers:", "nodewright:cluster:")


class Action(StrEnum):
    """What happens to a resource, replacement being one thing however many steps the engine takes for it."""

    KEPT = "kept"
    ADDED = "added"
    UPDATED = "updated"
    REPLACED = "replaced"
    REMOVED = "removed"
    READ = "read"


ACTIONS = {
    "same": Action.KEPT,
    "create": Action.ADDED,
    "import": Action.ADDED,
    "update": Action.UPDATED,
    "replace": Action.REPLACED,
    "create-replacement": Action.REPLACED,
    "delete-replaced": Action.REPLACED,
    "import-replacement": Action.REPLACED,
    "discard-replaced": Action.REPLACED,
    "delete": Action.REMOVED,
    "discard": Action.REMOVED,
    "remove-pending-replace": Action.REPLACED,
    "read": Action.READ,
    "refresh": Action.READ,
    "read-replacement": Action.READ,
    "read-discard": Action.READ,
}


@dataclass(frozen=True, kw_only=True)
class Step:
    """What the engine does, or would do, to one resource."""

    op: str
    urn: str
    changed: tuple[str, ...] = ()
    """Properties that differ, and so caused the step."""
    retained: bool = False
    """Taken out of the state only; it stays in the cloud."""
    leaves: bool = False
    """It is a step on a machine that has something to do when it is deleted."""

    @property
    def type(self) -> str:
        """The resource's own type, without those of its parents."""
        return self.urn.split("::")[2].rpartition("$")[2]

    @property
    def name(self) -> str:
        """The resource's name."""
        return self.urn.split("::", 3)[3]

    @property
    def action(self) -> Action:
        """What this step is a part of."""
        return ACTIONS.get(self.op, Action.UPDATED)


@dataclass(frozen=True, kw_only=True)
class ResourceChange:
    """What happens to one resource, all its steps taken together."""

    name: str
    type: str
    action: Action
    changed: tuple[str, ...]
    retained: bool

    @property
    def is_silent(self) -> bool:
        """Tell the engine's own book-keeping, which means nothing to people."""
        return self.type.startswith(SILENT_TYPES)


def from_event(metadata: Any) -> Step:
    """Read the metadata of an engine event, as the Automation API gives it; values stay out: some are secret."""
    detailed = metadata.detailed_diff or {}
    return Step(
        op=metadata.op.value if hasattr(metadata.op, "value") else str(metadata.op),
        urn=metadata.urn,
        changed=tuple(sorted({*(metadata.diffs or ()), *detailed})),
        retained=bool(metadata.old and metadata.old.retain_on_delete),
        leaves=bool(metadata.old and (metadata.old.inputs or {}).get("delete")),
    )


def node_of(name: str, nodes: Collection[str]) -> str | None:
    """Find the machine whose resource bears this name: its own name, or `<machine>-<part>`."""
    owners = (node for node in nodes if name == node or name.startswith(f"{node}-"))
    return max(owners, key=len, default=None)


def fold(steps: Iterable[Step]) -> tuple[ResourceChange, ...]:
    """Fold the steps of each resource into one change; a replacement takes up to three steps."""
    by_urn: dict[str, list[Step]] = {}
    for step in steps:
        by_urn.setdefault(step.urn, []).append(step)
    return tuple(_fold_one(group) for group in by_urn.values())


def _fold_one(steps: list[Step]) -> ResourceChange:
    actions = {step.action for step in steps}
    if Action.REPLACED in actions or {Action.ADDED, Action.REMOVED} <= actions:
        action = Action.REPLACED
    else:
        telling = [step.action for step in steps if step.action not in {Action.KEPT, Action.READ}]
        action = telling[-1] if telling else steps[-1].action
    return ResourceChange(
        name=steps[0].name,
        type=steps[0].type,
        action=action,
        changed=tuple(sorted({name for step in steps for name in step.changed})),
        retained=any(step.retained for step in steps),
    )
