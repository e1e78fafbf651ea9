"""How long it takes to find out that nothing is to be done, for a small cluster and a large one."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.engine.clusters import cluster
from tests.engine.harness import Stack, engine_environment, install_fakes
from tests.engine.shelf import Shelf


@dataclass(frozen=True)
class Preview:
    """A preview that finds nothing; the machines exist only for the engine."""

    workers: int
    seconds: float


def previews_without_change(directory: Path) -> Iterator[Preview]:
    """Measure with the real engine and the real program on providers that make nothing."""
    home = directory / "home"
    install_fakes(home)
    for workers in (1, 100):
        place = directory / f"workers-{workers}"
        place.mkdir()
        stack = Stack(place, home, engine_environment(), Shelf(directory / "shelf"))
        wished = cluster(workers={"count": workers})
        made = stack.up(wished)
        assert made.ok, made.output
        began = time.monotonic()
        seen = stack.preview(wished, "--expect-no-changes")
        seconds = time.monotonic() - began
        assert seen.ok, seen.output
        yield Preview(workers=workers, seconds=round(seconds, 1))
