"""What an operation gives back: for a person a few lines, for a program JSON (docs/results.md)."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from lifecycle.ticket import Ticket

SCHEMA = "nodewright/result/v1"
CLUSTER = "cluster"
"""Stands in the place of a machine for what belongs to none."""


class Outcome(StrEnum):
    """How an operation ended."""

    DONE = "done"
    UNCHANGED = "unchanged"
    PLANNED = "planned"
    """`--dry-run`: only said what would happen."""
    DECLINED = "declined"
    """A person said no."""
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class Phase:
    """One thing that was done to a machine."""

    name: str
    op: str
    seconds: float
    failed: bool = False


@dataclass(frozen=True, kw_only=True)
class NodeResult:
    """All that was done to one machine, in order."""

    node: str
    action: str
    seconds: float
    """From the first thing begun to the last thing finished."""
    phases: tuple[Phase, ...]


@dataclass(frozen=True, kw_only=True)
class Result:
    """What an operation did."""

    operation: str
    stack: str
    outcome: Outcome
    seconds: float = 0.0
    edits: tuple[str, ...] = ()
    """What was written into the stack file, or would be."""
    repairs: tuple[str, ...] = ()
    """What an earlier, interrupted operation had left, and what was done about it."""
    nodes: tuple[NodeResult, ...] = ()
    """What was done, machine by machine."""
    ticket: Ticket | None = field(default=None, repr=False)
    """What was said before."""

    def to_json(self) -> dict[str, Any]:
        """Give it as JSON."""
        plain = {**asdict(self), "ticket": self.ticket.to_json() if self.ticket else None}
        return {"schema": SCHEMA, **plain}


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why a call did nothing, or stopped."""

    code: int
    """The exit code."""
    kind: str
    """The exit code's name: `USAGE`, `REFUSED`, `FAILED`, `BUSY`, `NO_STACK`, `NO_ACCESS`."""
    text: str
    """What was being done, what was found, what to do."""
    result: Result | None
    """What was done until then; nothing when nothing was begun."""

    def to_json(self) -> dict[str, Any]:
        """Give it as JSON."""
        return {
            "code": self.code,
            "kind": self.kind,
            "text": self.text,
            "result": self.result.to_json() if self.result else None,
        }


def render(result: Result) -> str:
    """Give it as lines for a person."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: Result) -> Iterable[str]:
    took = f" in {result.seconds:.0f} s" if result.seconds else ""
    yield f"{result.operation}: {result.outcome.value}{took}"
    width = max((len(node.node) for node in result.nodes), default=0)
    for node in result.nodes:
        if node.node == CLUSTER:
            yield f"  {node.node:{width}}  {node.seconds:.1f} s for what belongs to no machine: {len(node.phases)}"
            continue
        phases = ", ".join(f"{phase.name} {phase.seconds:.1f} s" for phase in node.phases)
        yield f"  {node.node:{width}}  {node.action}, {node.seconds:.1f} s: {phases}"
