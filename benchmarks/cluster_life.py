"""Create, scale by one and by four, heal, on the lab: wall time beside the critical path."""

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.critical_path import critical_path, total
from benchmarks.event_log import EventLog
from tests.lab.lab_stack import LabStack


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
    steps: int
    path: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def life_of_a_cluster(directory: Path) -> Iterator[Measure]:
    """Measure each change; the cluster is gone afterwards."""
    stack = LabStack(directory, "lab", name="bench", cidr="10.63.0.0/24")
    try:
        yield measure(stack, directory, "create 1+2")
        stack.change({"workers.worker.count": 3})
        yield measure(stack, directory, "scale +1")
        stack.change({"workers.worker.count": 2})
        stack.must_up()
        stack.change({"workers.worker.count": 6})
        yield measure(stack, directory, "scale +4")
        stack.change({"workers.worker.heal.worker-1": 1})
        yield measure(stack, directory, "heal of a worker")
        stack.change({"control-plane.heal.control-plane-0": 1})
        yield measure(stack, directory, "heal of the only master")
    finally:
        stack.destroy()


def measure(stack: LabStack, directory: Path, operation: str) -> Measure:
    log = directory / f"{operation.replace(' ', '-')}.events"
    before = stack.exported(show_secrets=False)
    began = time.monotonic()
    with EventLog(log) as events:
        stack.must_up("--event-log", str(log))
        wall = time.monotonic() - began
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
        steps=len(steps),
        path=tuple(f"{step.name} {step.seconds:.1f} s" for step in path),
    )
