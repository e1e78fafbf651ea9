"""Every item that is asked for stands finished in the cache; what is missing is made, several at once."""

from __future__ import annotations

import os
import time
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from toolchain import golang, plugins
from toolchain.cache import cache_root, fault_in
from toolchain.catalog import Catalog, Item
from toolchain.errors import ToolchainError
from toolchain.job import ROADS, Job
from toolchain.progress import duration, say
from toolchain.turns import StoppedError, Turns

# Two, as linking uses one core only; more would not fit into a small machine's memory.
AT_ONCE = min(2, os.cpu_count() or 1)


@dataclass(frozen=True)
class Supply:
    """The pins, the cache, and the road that the user insists on, if any."""

    catalog: Catalog
    root: Path
    road: str = ""

    @classmethod
    def usual(cls) -> Supply:
        """The project's own pins and the user's cache and wishes."""
        road = os.environ.get("NODEWRIGHT_TOOLCHAIN", "")
        if road not in {"", *ROADS}:
            text = f"reading NODEWRIGHT_TOOLCHAIN: {road} is none of {', '.join(ROADS)}; unset it or choose one"
            raise ToolchainError(text)
        return cls(Catalog.load(), cache_root(), road)

    @property
    def roads(self) -> tuple[str, ...]:
        """The roads that may be taken, the preferred first."""
        return (self.road,) if self.road else ROADS

    def directories(self, item: Item) -> dict[str, Path]:
        """Where an item stands, finished or not, by the road that it comes."""
        return {road: item.directory(self.root, road, self.catalog.modules) for road in self.roads}

    def present(self, item: Item) -> Path | None:
        """The finished directory of an item; a quick look at names and sizes."""
        return next((path for path in self.directories(item).values() if fault_in(path) is None), None)

    def ensure(self, names: list[str]) -> dict[str, Path]:
        """Make what is missing of these items and sets, and say where each stands."""
        items = self.catalog.select(names)
        ready = {item.name: directory for item in items if (directory := self.present(item))}
        missing = [item for item in items if item.name not in ready]
        if missing:
            ready.update(self._make(missing))
        for item in items:
            if item.plugin:
                plugins.install(item, ready[item.name], self.root)
        if "go" in names:
            ready["go"] = golang.find_go(self.catalog.go, self.root)
        return ready

    def _make(self, items: list[Item]) -> dict[str, Path]:
        """Make items: all fetch at once, two build at once, the longest first."""
        self.root.mkdir(parents=True, exist_ok=True)
        say(f"{len(items)} to make: {', '.join(item.name for item in items)}")
        started = time.monotonic()
        turns = Turns(AT_ONCE)
        with ThreadPoolExecutor(len(items)) as threads:
            futures: dict[str, Future[Path]] = {}
            try:
                for place, item in enumerate(items, 1):
                    job = Job(
                        item=item,
                        label=f"[{place}/{len(items)}] {item.name}",
                        place=place,
                        turns=turns,
                        catalog=self.catalog,
                        root=self.root,
                        disk_gib=sum(later.disk_gib for later in items[place - 1 :]),
                        directories=self.directories(item),
                    )
                    futures[item.name] = threads.submit(job.run)
                wait(futures.values(), return_when=FIRST_EXCEPTION)
            finally:
                # After success nobody is left to hear it.
                turns.stop()
        failed = [error for future in futures.values() if (error := future.exception())]
        told = [error for error in failed if isinstance(error, ToolchainError)]
        for error in failed:
            if not isinstance(error, ToolchainError | StoppedError):
                raise error
        if told:
            raise ToolchainError("\n".join(map(str, told)))
        say(f"all {len(items)} done in {duration(time.monotonic() - started)}")
        return {name: future.result() for name, future in futures.items()}
