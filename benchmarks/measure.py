"""One run of the engine, its wall time beside the longest chain of steps that had to wait for each other."""

import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from benchmarks.critical_path import critical_path, total
from benchmarks.event_log import EventLog


class MeasuredStack(Protocol):
    """A stack whose `up` can be told to keep an event log."""

    def must_up(self, *options: str) -> object: ...

    def exported(self, *, show_secrets: bool = True) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class Measure:
    """One run of the engine."""

    operation: str
    wall_s: float
    critical_path_s: float
    ratio: float
    before_s: float
    """Until the chain's first step began: the engine, its plugins and the program start."""
    between_s: float
    """Between the end of a step of the chain and the begin of the next one."""
    after_s: float
    """From the end of the chain to the end of the run."""
    processors_busy: float
    """The share of this machine's processor time that was used meanwhile, by whomever; 1 is all of it."""
    steps: int
    path: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def measure(stack: MeasuredStack, directory: Path, operation: str) -> Measure:
    """Let the engine do what the stack's config asks for."""
    log = directory / f"{operation.replace(' ', '-')}.events"
    before = stack.exported(show_secrets=False)
    idle = idle_s()
    began = time.monotonic()
    with EventLog(log) as events:
        stack.must_up("--event-log", str(log))
        wall = time.monotonic() - began
    idle = idle_s() - idle
    steps = events.steps()
    path = critical_path(steps, before, stack.exported(show_secrets=False))
    return Measure(
        operation=operation,
        wall_s=round(wall, 1),
        critical_path_s=round(total(path), 1),
        ratio=round(wall / total(path), 2),
        before_s=round(path[0].began - began, 1),
        between_s=round(path[-1].ended - path[0].began - total(path), 1),
        after_s=round(began + wall - path[-1].ended, 1),
        processors_busy=round(1 - idle / wall / (os.cpu_count() or 1), 2),
        steps=len(steps),
        path=tuple(f"{step.name} {step.seconds:.1f} s" for step in path),
    )


def idle_s() -> float:
    """Seconds that all processors together had nothing to do since the machine started."""
    ticks = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    waiting = int(ticks[4]) + int(ticks[5])  # with nothing at all, and for a disk
    return waiting / os.sysconf("SC_CLK_TCK")
