"""Items from pinned module source: sources staged, modules fetched, one `go build` for each entry of the item."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from toolchain import golang
from toolchain.catalog import Build, Item, source_files
from toolchain.errors import ToolchainError
from toolchain.progress import Ticker

FETCH_TRIES = 3
LAST_LINES = 15
NETWORK = r"dial tcp|lookup .* on|i/o timeout|connection re|TLS handshake|unexpected EOF|no such host|: 50[234] "
# What to do, by what Go says; the first that fits.
ADVICE: dict[str, str] = {
    "no space left": "free some disk space and try again; what is done stays done",
    "signal: killed": "the machine ran out of memory; end other programs and try again",
    "checksum mismatch|SECURITY ERROR": "a module is not the one that was reviewed: do not use it",
    "missing go.sum entry|updates to go.mod": "go.mod and go.sum do not fit together; check out the repository again",
    NETWORK: "the module proxy could not be reached; check the network and GOPROXY and try again, what came is kept",
    "40[134] |not available|410 Gone": "the module proxy does not have it; set GOPROXY to one that does",
    "requires go >=": "the Go toolchain is too old for it; raise the pin in versions.toml",
}
OTHERWISE = "look into the log; when the sources are as they were checked out, tell the project"


@dataclass(frozen=True, kw_only=True)
class Workbench:
    """Builds one item: where its sources are staged, which `go` is used and where everything is logged."""

    item: Item
    modules: Path
    root: Path
    go: Path
    log: Path
    ticker: Ticker
    # The descriptor of the item's lock: a build that outlives this process keeps it until it ends.
    lock: int

    @property
    def _command(self) -> str:
        return str(self.go / "bin" / "go")

    def fetch(self, builds: list[Build], work: Path) -> None:
        """Bring the modules of these builds into Go's module cache. Needs the network, little else."""
        for number, build in enumerate(builds):
            source = self._stage(build, work / f"fetch-{number}")
            self._run(build, ["list", "-deps", *build.packages], source, "fetching modules")

    def build(self, build: Build, work: Path, out: Path) -> None:
        """Put the binaries of one entry into out/bin."""
        source = self._stage(build, work / f"source-{build.module}")
        binaries = work / f"binaries-{build.module}"
        binaries.mkdir()
        total = self._count_stale(build, source)
        command = ["build", "-v", "-ldflags", build.ldflags, "-o", f"{binaries}/", *build.packages]
        self._run(build, command, source, "compiling", total=total)
        target = out / "bin"
        target.mkdir(parents=True, exist_ok=True)
        for package, name in build.packages.items():
            (binaries / _default_name(package, source)).rename(target / name)
        for origin, name in build.copy.items():
            shutil.copyfile(self._file_of_module(build, origin, source), target / name)
            (target / name).chmod(0o755)

    def _stage(self, build: Build, source: Path) -> Path:
        """A copy of the module's sources with the files for go:embed beside them."""
        module = self.modules / build.module
        for path in source_files(module):
            target = source / path.relative_to(module)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        for origin, name in build.patch.items():
            self._patch(self._directory_of_module(build, origin, source), source / name)
        for origin, name in build.embed.items():
            content = json.loads(self._file_of_module(build, origin, source).read_text())
            if name == "schema.json":
                content["version"] = self.item.version
            (source / name).write_text(json.dumps(content, separators=(",", ":")))
        return source

    def _file_of_module(self, build: Build, origin: str, source: Path) -> Path:
        module, path = origin.split(":")
        return self._directory_of_module(build, module, source) / path

    def _directory_of_module(self, build: Build, module: str, source: Path) -> Path:
        """Where Go keeps a module, checked against go.sum; `module@version` when go.mod replaces it."""
        self._run(build, ["mod", "download", module], source, "fetching modules")
        command = [self._command, "mod", "download", "-json", module]
        environment = golang.environment(self.root)
        answer = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, check=True)
        return Path(json.loads(answer.stdout)["Dir"])

    @staticmethod
    def _patch(module: Path, copy: Path) -> None:
        """Lay a module's files below those that are there already, leaving out directories that are stood in for."""
        own = {path.parent.relative_to(copy) for path in copy.rglob("*") if path.is_file()}
        for path in module.rglob("*"):
            place = path.relative_to(module)
            if path.is_file() and place.parent not in own:
                target = copy / place
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)

    def _count_stale(self, build: Build, source: Path) -> int:
        """How many packages are to be compiled; the rest is in Go's build cache."""
        template = "{{if .Stale}}{{.ImportPath}}{{end}}"
        command = [self._command, "list", "-deps", "-f", template, *build.packages]
        answer = subprocess.run(
            command, cwd=source, env=golang.environment(self.root), capture_output=True, text=True, check=False
        )
        return sum(1 for line in answer.stdout.splitlines() if line)

    def _run(self, build: Build, arguments: list[str], source: Path, doing: str, *, total: int = 0) -> None:
        """Run `go` with its words in the log, trying again when only the network failed."""
        for left in reversed(range(FETCH_TRIES)):
            start = self.log.stat().st_size
            status = self._call(arguments, source, partial(self._how_far, doing, total, start))
            if status == 0:
                return
            said = self.log.read_bytes()[start:].decode(errors="replace")
            if not left or not re.search(NETWORK, said):
                break
            self.ticker.now(f"{doing}: the network failed; trying again")
            time.sleep(2)
        raise ToolchainError(self._sentence(build, doing, status, said))

    def _call(self, arguments: list[str], source: Path, how_far: Callable[[], str]) -> int:
        """One `go` command; its exit status."""
        with self.log.open("a") as log:
            log.write(f"$ go {' '.join(arguments)}  (in {source.name})\n")
            log.flush()
            process = subprocess.Popen(
                [self._command, *arguments],
                cwd=source,
                env={**golang.environment(self.root), "TMPDIR": str(source.parent)},
                stdout=subprocess.DEVNULL if arguments[0] == "list" else log,
                stderr=log,
                pass_fds=[self.lock],
            )
        try:
            while process.poll() is None:
                time.sleep(0.2)
                self.ticker.maybe(how_far)
        except BaseException:
            process.terminate()
            process.wait()
            raise
        return process.returncode

    def _how_far(self, doing: str, total: int, start: int) -> str:
        if not total:
            return doing
        with self.log.open("rb") as stream:
            stream.seek(start)
            done = stream.read().count(b"\n") - 1
        # Linking comes after the last package and says nothing.
        return f"{doing}: {done} of {total} packages" if done < total else "linking"

    def _sentence(self, build: Build, doing: str, status: int, said: str) -> str:
        # What `go build -v` prints for packages that went well is no help.
        lines = [line for line in said.strip().splitlines() if " " in line]
        last = "\n".join(f"    {line}" for line in lines[-LAST_LINES:])
        advice = next((text for pattern, text in ADVICE.items() if re.search(pattern, said)), OTHERWISE)
        where = f"module {self.modules.name}/{build.module}"
        return (
            f"{doing} for {self.item.name} {self.item.version} ({where}): go ended with {status}\n{last}\n"
            f"  What to do: {advice}\n  Log: {self.log}"
        )


def _default_name(package: str, source: Path) -> str:
    """The name that `go build -o directory/` gives a package's binary."""
    if package == ".":
        first = (source / "go.mod").read_text().splitlines()
        package = next(line.split()[1] for line in first if line.startswith("module "))
    parts = package.split("/")
    return parts[-2] if re.fullmatch(r"v\d+", parts[-1]) else parts[-1]
