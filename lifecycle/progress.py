"""Live progress: the engine's events become phases of machines, with their times."""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from lifecycle.results import CLUSTER, NodeResult, Phase
from lifecycle.steps import (
    COMMAND,
    FILE,
    FLOATING_IP,
    KINDS,
    PORT,
    SERVER,
    SILENT_TYPES,
    VOLUME,
    Action,
    Step,
    from_event,
    node_of,
)

THINGS = {SERVER: "machine", PORT: "port", VOLUME: "volume", FLOATING_IP: "floating IP"}
STARTS = {"create", "create-replacement", "update", "delete", "delete-replaced"}
VERBS = {
    "create": "make",
    "create-replacement": "make",
    "update": "update",
    "delete": "delete",
    "delete-replaced": "delete",
}
# What a step of a machine is called while it comes, and while it goes.
COMING = {
    "ready": "boot",
    "prepare": "prepare",
    "ticket": "take ticket",
    "join": "join",
    "member": "admit",
    "init": "begin cluster",
    "restore": "restore",
    "mount": "mount volume",
    "configure": "configure",
}
DELETIONS = {"delete", "delete-replaced"}
GOING = {"member": "drain and leave"}


@dataclass(frozen=True, kw_only=True)
class Progress:
    """One thing begun or finished, as it is shown."""

    node: str
    """The machine; `cluster` for what belongs to none."""
    phase: str
    state: str
    """`begun`, `done` or `failed`."""
    seconds: float
    """How long it took; 0 when it only began."""


class Tracker:
    """Follows an update; `listener` hears of everything that begins or ends."""

    def __init__(
        self,
        nodes: Collection[str],
        listener: Callable[[Progress], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        forgotten: Collection[str] = (),
    ) -> None:
        """Follow these machines. Deletions of the resources `forgotten`, by URN, are not spoken of.

        The engine tells them like all others, but asks nobody to do anything.
        """
        self._nodes = frozenset(nodes)
        self._forgotten = frozenset(forgotten)
        self._listener = listener
        self._clock = clock
        self._begun: dict[tuple[str, str], float] = {}
        self._first: dict[str, float] = {}
        self._last: dict[str, float] = {}
        self._phases: dict[str, list[Phase]] = {}
        self._actions: dict[str, set[Action]] = {}
        self.failures: list[str] = []
        """Names of the resources that failed."""

    def hear(self, event: Any) -> None:
        """Take one event of the engine."""
        if event.resource_pre_event:
            self._step(from_event(event.resource_pre_event.metadata), "begun")
        elif event.res_outputs_event:
            self._step(from_event(event.res_outputs_event.metadata), "done")
        elif event.res_op_failed_event:
            self._step(from_event(event.res_op_failed_event.metadata), "failed")

    def results(self) -> tuple[NodeResult, ...]:
        """Give what was done so far, by machine."""
        return tuple(
            NodeResult(
                node=node,
                action=self._action(node),
                seconds=round(self._last[node] - self._first[node], 1),
                phases=tuple(phases),
            )
            for node, phases in self._phases.items()
        )

    def _step(self, step: Step, state: str) -> None:
        if step.op not in STARTS or step.type.startswith(SILENT_TYPES) or self._is_only_forgotten(step):
            return
        node = node_of(step.name, self._nodes) or CLUSTER
        now = self._clock()
        key = (step.urn, step.op)
        if state == "begun":
            self._begun[key] = now
            self._first.setdefault(node, now)
            self._tell(node, step, state, 0.0)
            return
        seconds = round(now - self._begun.pop(key, now), 1)
        self._first.setdefault(node, now)
        self._last[node] = now
        name = phase_name(step, node)
        self._phases.setdefault(node, []).append(
            Phase(name=name, op=step.op, seconds=seconds, failed=state == "failed")
        )
        if step.type == SERVER:
            self._actions.setdefault(node, set()).add(step.action)
        if state == "failed":
            self.failures.append(f"{node}: {name}")
        self._tell(node, step, state, seconds)

    def _tell(self, node: str, step: Step, state: str, seconds: float) -> None:
        if self._listener:
            self._listener(Progress(node=node, phase=phase_name(step, node), state=state, seconds=seconds))

    def _action(self, node: str) -> str:
        """What happened to the machine is what happened to its server."""
        actions = self._actions.get(node, set())
        if Action.REPLACED in actions or {Action.ADDED, Action.REMOVED} <= actions:
            return Action.REPLACED.value
        if not actions and all(phase.op in DELETIONS for phase in self._phases[node]):
            # Its server went before, in an operation that was cut short.
            return Action.REMOVED.value
        return next(iter(actions), Action.UPDATED).value

    def _is_only_forgotten(self, step: Step) -> bool:
        """Tell a deletion that does nothing anywhere: the resource only leaves the state."""
        if step.op not in DELETIONS:
            return False
        if step.retained or step.urn in self._forgotten:
            return True
        return step.type in {COMMAND, FILE} and not step.leaves


def phase_name(step: Step, node: str) -> str:
    """Say what a step is in the life of a machine."""
    part = step.name.removeprefix(node).removeprefix("-")
    if step.type == COMMAND:
        # `control-plane-0-state-mount` is the mount of a volume; the last word is what counts.
        word = part.rpartition("-")[2]
        return (GOING if step.op in DELETIONS else COMING).get(word, part)
    if step.type in THINGS:
        return f"{VERBS[step.op]} {THINGS[step.type]}"
    kind = step.type.rpartition(":")[2]
    return f"{VERBS[step.op]} {KINDS.get(kind, kind)} {part}"
