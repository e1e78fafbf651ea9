"""What `versions.toml` pins, as typed values, and the keys that finished items are kept under."""

from __future__ import annotations

import hashlib
import json
import platform
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolchain.errors import ToolchainError

HERE = Path(__file__).parent
# Goes up when this package itself makes items differently from the same inputs.
RECIPE = "1"
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


def machine() -> str:
    """This machine in Go's words; releases that use other words say so in versions.toml."""
    name = platform.machine()
    if platform.system() != "Linux" or name not in MACHINES:
        text = (
            f"reading this machine's type: {platform.system()} on {name}; only Linux on {', '.join(MACHINES)} is served"
        )
        raise ToolchainError(text)
    return MACHINES[name]


@dataclass(frozen=True, kw_only=True)
class Download:
    """One file of an official release, where its checksum is published, and what is taken out of it."""

    url: str
    # "https://…": a published file with the sum, or lines of sums and names; "github:owner/repository@tag": the digest
    # that GitHub shows for a release's file; "sha256:…": written down here.
    checksum: str
    # Path in the archive -> path in the item; "" is the download itself.
    take: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Build:
    """One `go build` in one pinned module: packages and the names that their binaries get."""

    module: str
    packages: dict[str, str]
    ldflags: str = "-s -w"
    # "module path: file in it" -> file beside the sources, for go:embed; a JSON object gets the item's version.
    embed: dict[str, str] = field(default_factory=dict)
    # module path -> directory beside the sources: the module is copied there (go.mod replaces it), and each directory
    # with files that is there already stands in for the module's own.
    patch: dict[str, str] = field(default_factory=dict)
    # "module path: file in it" -> file beside the binaries.
    copy: dict[str, str] = field(default_factory=dict)
    # Built on the download road as well, as no release has it.
    always: bool = False


@dataclass(frozen=True, kw_only=True)
class Item:
    """One thing that can be asked for by name."""

    name: str
    version: str
    # For order and for the estimate; measured on two cores with nothing else running.
    seconds: int
    # Modules, build cache and result of a build from nothing.
    disk_gib: float
    downloads: tuple[Download, ...]
    builds: tuple[Build, ...]
    # A command in the item that prints its version, and what it must say.
    report: tuple[str, ...] = ()
    expect: str = ""
    # The name of the resource plugin that this item is, if it is one.
    plugin: str = ""
    on_path: bool = False

    def key(self, road: str, modules: Path) -> str:
        """Changes with everything that the road makes the item from."""
        digest = hashlib.sha256(f"{RECIPE} {self.name} {self.version} {machine()} {road}".encode())
        if road == "download":
            digest.update(json.dumps([d.__dict__ for d in self.downloads], sort_keys=True).encode())
        for build in self.builds if road != "own" else ():
            if road == "build" or build.always:
                digest.update(json.dumps(build.__dict__, sort_keys=True).encode())
                for path in source_files(modules / build.module):
                    digest.update(f"{path.relative_to(modules)}\0".encode() + path.read_bytes())
        return digest.hexdigest()[:12]

    def directory(self, root: Path, road: str, modules: Path) -> Path:
        """Where the finished item stands when it came this road."""
        mark = {"build": "", "download": "official-", "own": "own-"}[road]
        return root / "toolchain" / self.name / f"{self.version}-{mark}{self.key(road, modules)}"


def source_files(module: Path) -> list[Path]:
    """The files of a module that its binaries are made from."""
    if not (module / "go.mod").is_file():
        text = f"reading the module {module}: it has no go.mod; check out the repository again"
        raise ToolchainError(text)
    return [
        path
        for path in sorted(module.rglob("*"))
        if path.is_file() and not path.name.endswith("_test.go") and "testdata" not in path.parts
    ]


@dataclass(frozen=True, kw_only=True)
class GoPin:
    """The Go toolchain: the oldest that builds all modules, and the one that is fetched when there is none."""

    minimum: str
    package: str
    version: str
    wheels: dict[str, str]


@dataclass(frozen=True)
class Catalog:
    """Everything pinned, and the directory of the modules that it is built from."""

    items: dict[str, Item]
    sets: dict[str, tuple[str, ...]]
    go: GoPin
    modules: Path

    @classmethod
    def load(cls, path: Path = HERE / "versions.toml") -> Catalog:
        """Read the pins. A fault here is the repository's, so it is shown as it is."""
        raw = tomllib.loads(path.read_text())
        items = {name: _item(name, raw["items"]) for name in raw["items"]}
        sets = {name: tuple(members) for name, members in raw["sets"].items()}
        return cls(items, sets, GoPin(**raw["go"]), path.parent / "modules")

    def select(self, names: list[str]) -> list[Item]:
        """The items of these names and sets, each once, the longest build first; `go` is no item and is left out."""
        chosen: dict[str, Item] = {}
        waiting = list(names or ["all"])
        while waiting:
            name = waiting.pop()
            if name in self.sets:
                waiting.extend(self.sets[name])
            elif name in self.items:
                chosen[name] = self.items[name]
            elif name != "go":
                known = ", ".join(["go", *self.items, *self.sets])
                text = f"looking for the item {name}: versions.toml has none; known are {known}"
                raise ToolchainError(text)
        return sorted(chosen.values(), key=lambda item: -item.seconds)


def _item(name: str, tables: dict[str, Any]) -> Item:
    """An item from its table; `like` names another one whose entries it shares, with its own version."""
    own = tables[name]
    table = {**tables[own["like"]], **own} if "like" in own else dict(own)
    table.pop("like", None)
    words = {"version": table["version"], "arch": table.pop("arch", {}).get(machine(), machine())}
    table = _filled(table, words)
    downloads = [Download(**one) for entry in table.pop("downloads", []) for one in _each(entry)]
    builds = [Build(**entry) for entry in table.pop("builds", [])]
    report = tuple(table.pop("report", []))
    return Item(name=name, downloads=tuple(downloads), builds=tuple(builds), report=report, **table)


def _each(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """A download written once for several files that differ in {name} only."""
    names = entry.pop("each", [""])
    return [_filled(entry, {"name": name}) for name in names]


def _filled(value: Any, words: dict[str, str]) -> Any:
    """The same value with every {word} in its strings replaced."""
    if isinstance(value, str):
        for word, text in words.items():
            value = value.replace(f"{{{word}}}", text)
        return value
    if isinstance(value, dict):
        return {_filled(key, words): _filled(inner, words) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, words) for inner in value]
    return value
