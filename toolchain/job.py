"""One item on its way into the cache: by the first road that is open, under the item's lock."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from toolchain import fetch, golang, own
from toolchain.build import Workbench
from toolchain.cache import Manifest, fault_in, locked, publish, record_files, staging
from toolchain.catalog import Catalog, Item
from toolchain.errors import ToolchainError
from toolchain.progress import Ticker, duration, say
from toolchain.turns import Turns

ROADS = ("own", "download", "build")


@dataclass(kw_only=True)
class Job:
    """Makes one item unless another call makes it first."""

    item: Item
    label: str
    place: int
    turns: Turns
    catalog: Catalog
    root: Path
    # What this item and those after it need when they are all built.
    disk_gib: float
    # Where the item will stand, by the roads that may be taken, the preferred first.
    directories: dict[str, Path]

    def __post_init__(self) -> None:
        self.ticker = Ticker(self.label, self.turns.check)
        self.log = self.root / "logs" / "toolchain" / f"{self.item.name}.log"

    def run(self) -> Path:
        """The finished directory."""
        home = self.root / "toolchain" / self.item.name
        with locked(home / ".lock", self._wait, self.turns.check) as lock:
            for directory in self.directories.values():
                fault = fault_in(directory)
                if fault is None:
                    return directory
                if directory.exists():
                    say(f"{self.label}: what is in {directory} is made again: {fault}")
            self.log.parent.mkdir(parents=True, exist_ok=True)
            self.log.write_text("")
            for road in self.directories:
                with staging(home) as work:
                    out = work / "out"
                    out.mkdir()
                    source = self._take(road, work, out, lock)
                    if source is not None:
                        return self._finish(road, out, source)
        self._fail()
        raise AssertionError

    def _wait(self, holder: str) -> None:
        say(f"{self.label}: waiting for {holder}")

    def _fail(self) -> None:
        reasons = {
            "own": "you have none of a fitting version; unset NODEWRIGHT_TOOLCHAIN to let it be downloaded or built",
            "download": "its release cannot be downloaded; unset NODEWRIGHT_TOOLCHAIN to let it be built from source",
        }
        text = f"making {self.item.name} {self.item.version}: {reasons[next(iter(self.directories))]}"
        raise ToolchainError(text)

    def _take(self, road: str, work: Path, out: Path, lock: int) -> str | None:
        """Try one road; says what the item came from, None when the road is closed."""
        if road == "own":
            return own.link_own(self.item, self.root, out)
        if road == "download":
            return self._download(work, out, lock)
        return self._build(work, out, lock, only_always=False)

    def _download(self, work: Path, out: Path, lock: int) -> str | None:
        if not self.item.downloads or not all(map(fetch.reachable, sorted(fetch.hosts_of(self.item)))):
            return None
        self.ticker.now(f"downloading {self.item.version}")
        try:
            source = fetch.download_item(self.item, work.parent / "downloads", out, self.ticker)
        except fetch.NotToBeHadError as error:
            self.ticker.now(f"the release cannot be had: {error}")
            return None
        if any(build.always for build in self.item.builds):
            source += f"; {self._build(work, out, lock, only_always=True)}"
        return source

    def _build(self, work: Path, out: Path, lock: int, *, only_always: bool) -> str:
        builds = [build for build in self.item.builds if build.always or not only_always]
        if not only_always:
            check_disk(self.item, self.disk_gib, self.root)
        go = golang.find_go(self.catalog.go, self.root)
        bench = Workbench(
            item=self.item,
            modules=self.catalog.modules,
            root=self.root,
            go=go,
            log=self.log,
            ticker=self.ticker,
            lock=lock,
        )
        self.ticker.now(f"fetching modules (log: {self.log})")
        bench.fetch(builds, work)
        with self.turns.turn(self.place):
            self.ticker.now(f"building {self.item.version} from module source")
            for build in builds:
                bench.build(build, work, out)
        return f"module source by go {golang.version_of(go / 'bin' / 'go')}"

    def _finish(self, road: str, out: Path, source: str) -> Path:
        """Check that the item says its pinned version, then put it in its place."""
        item, ticker = self.item, self.ticker
        said = _ask([str(out / item.report[0]), *item.report[1:]]) if item.report and road != "own" else item.expect
        if item.expect not in said:
            text = (
                f"checking {item.name}: `{' '.join(item.report)}` says {said.strip()[:200]!r}, but {item.expect!r} is "
                "pinned; versions.toml and what it points to do not fit together"
            )
            raise ToolchainError(text)
        final = self.directories[road]
        made_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        files = record_files(out)
        publish(out, final, Manifest(item.name, item.version, road, source, made_at, ticker.elapsed_s, files))
        ticker.now(f"done in {duration(ticker.elapsed_s)} ({road}, {sum(f.size for f in files.values()) >> 20} MiB)")
        return final


def check_disk(item: Item, needed_gib: float, root: Path) -> None:
    """Refuse to begin builds that the disk cannot hold."""
    free_gib = shutil.disk_usage(root).free / 2**30
    if free_gib < needed_gib:
        text = (
            f"building {item.name} and what is made with it: {free_gib:.1f} GiB are free on the disk of {root}, about "
            f"{needed_gib:.2g} GiB are needed; free some, or set NODEWRIGHT_CACHE to a directory on a larger disk"
        )
        raise ToolchainError(text)


def _ask(command: list[str]) -> str:
    """What a program says on its standard output and error."""
    environment = {**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"}
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return answer.stdout + answer.stderr
