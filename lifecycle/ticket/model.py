"""What a change ticket says. Everything in it is plain data, so that it can be JSON as it is."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from lifecycle.steps import Action

SCHEMA = "nodewright/ticket/v1"


class Level(StrEnum):
    """How bad a danger is."""

    STOP = "stop"
    """Not done unless its rule is accepted by name."""
    WARNING = "warning"
    """Done, but said first."""


@dataclass(frozen=True, kw_only=True)
class Danger:
    """Something a person should know before it happens."""

    level: Level
    rule: str
    """The rule's name, for `--accept`."""
    text: str


@dataclass(frozen=True, kw_only=True)
class NodeChange:
    """What happens to one machine."""

    node: str
    role: str
    pool: str
    action: Action
    reasons: tuple[str, ...]
    keeps: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    """What of it is updated in place."""
    pods: tuple[str, ...] | None = None
    """Pods that must move; `None` when the cluster was not asked."""
    local_data: tuple[str, ...] = ()
    """Those of them that lose data in an emptyDir."""
    unmanaged: tuple[str, ...] = ()
    """Those of them that nothing makes anew."""
    budgets: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    """Machines that must be back in service first."""


@dataclass(frozen=True, kw_only=True)
class OtherChange:
    """What happens to something that belongs to no machine."""

    name: str
    kind: str
    action: Action


@dataclass(frozen=True, kw_only=True)
class Behind:
    """A machine that runs on something else than the stack file wishes."""

    node: str
    what: str
    runs: str
    wished: str


@dataclass(frozen=True, kw_only=True)
class Quorum:
    """The control plane's etcd members."""

    before: int
    after: int
    lowest: int
    """How many are left while one is being replaced."""
    needed: int
    """How many must live for the cluster to answer."""
    ready: int | None
    """How many are ready now; `None` when the cluster was not asked."""


@dataclass(frozen=True, kw_only=True)
class Ticket:
    """A change, before it happens."""

    stack: str
    cluster: str
    dangers: tuple[Danger, ...]
    nodes: tuple[NodeChange, ...]
    others: tuple[OtherChange, ...]
    untouched: tuple[str, ...]
    behind: tuple[Behind, ...]
    quorum: Quorum
    edits: tuple[str, ...] = ()
    """What was or would be written to the stack file."""
    unknown: str | None = None
    """Why the live cluster is not part of this ticket."""

    @property
    def changes(self) -> bool:
        """Tell whether anything would happen."""
        return bool(self.nodes or self.others)

    def with_action(self, action: Action) -> tuple[NodeChange, ...]:
        """Every machine this happens to."""
        return tuple(node for node in self.nodes if node.action is action)

    def stops(self, accepted: frozenset[str] = frozenset()) -> tuple[Danger, ...]:
        """The dangers that forbid the change."""
        return tuple(d for d in self.dangers if d.level is Level.STOP and d.rule not in accepted)

    def to_json(self) -> dict[str, Any]:
        """Give it as JSON; docs/results.md has the schema."""
        return {"schema": SCHEMA, "changes": self.changes, **asdict(self)}
