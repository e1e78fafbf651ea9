"""The same life with nothing that takes processors: what the program and the engine wait for by themselves.

The engine, the program and every edge are the real ones. The providers make nothing, and each step lasts as long as the
next one, so machines that come in together cannot slow each other down.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.measure import Measure, measure
from tests.engine.clusters import cluster
from tests.engine.harness import Stack, engine_environment, install_fakes
from tests.engine.shelf import Shelf

# A choice: longer than the lab's steps are on average, so that the engine's start is small beside a chain of them.
STEP_S = 3


class AloneStack:
    """A stack of the engine's tests, with what a measure asks of one."""

    def __init__(self, directory: Path) -> None:
        home, place = directory / "home", directory / "stack"
        install_fakes(home)
        place.mkdir()
        environment = {
            **engine_environment(),
            "FAKE_STEP_SECONDS": str(STEP_S),
            "PULUMI_DEBUG_COMMANDS": "true",  # without it the engine has no option `--event-log`
        }
        self._stack = Stack(place, home, environment, Shelf(directory / "shelf"))
        self.cluster = cluster()

    def must_up(self, *options: str) -> None:
        run = self._stack.up(self.cluster, *options)
        assert run.ok, run.output

    def exported(self, *, show_secrets: bool = True) -> Mapping[str, Any]:
        assert not show_secrets
        return dict(json.loads(self._stack.state())["deployment"])


def life_alone(directory: Path) -> Iterator[Measure]:
    """Measure each change; nothing was made, so nothing is to be taken away."""
    stack = AloneStack(directory)
    yield measure(stack, directory, "create 1+2")
    stack.cluster = cluster(workers={"count": 3})
    yield measure(stack, directory, "scale +1")
    stack.cluster = cluster(workers={"count": 7})
    yield measure(stack, directory, "scale +4")
    stack.cluster = cluster(workers={"count": 7, "heal": {"worker-1": 1}})
    yield measure(stack, directory, "heal of a worker")
