"""Create, scale by one and by four, heal, on the lab: wall time beside the critical path."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Measure, measure
from tests.lab.lab_stack import LabStack


def life_on_the_lab(directory: Path) -> Iterator[Measure]:
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
