"""Engine and plugins that the user has already: linked into the cache when their version fits."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from toolchain.catalog import Item
from toolchain.progress import say

LANGUAGE_HOST = ("pulumi-language-python", "pulumi-language-python-exec")


def link_own(item: Item, root: Path, out: Path) -> str | None:
    """Link the user's own files into `out`; says where they are, or None when there are no fitting ones."""
    found = _plugin(item, root) if item.plugin else _engine(item, root) if item.name == "pulumi" else None
    if not found:
        return None
    (out / "bin").mkdir(parents=True)
    for path in found:
        (out / "bin" / path.name).symlink_to(path)
    return str(found[0].parent)


def _engine(item: Item, root: Path) -> list[Path] | None:
    """`pulumi` on PATH, not older than pinned, of the same major version, with its Python language host beside it."""
    command = shutil.which("pulumi")
    if not command or Path(command).resolve().is_relative_to(root):
        return None
    engine = Path(command).resolve()
    version = _version_of(engine)
    if version is None or version[0] != _numbers(item.version)[0] or version < _numbers(item.version):
        shown = ".".join(map(str, version)) if version else "an unknown version"
        say(f"pulumi at {command} is {shown}, needed is {item.version} or a newer 3.x: it is left alone")
        return None
    files = [engine, *(engine.parent / name for name in LANGUAGE_HOST)]
    missing = [path.name for path in files if not path.exists()]
    if missing:
        say(f"pulumi at {command} has no {' and no '.join(missing)} beside it: it is left alone")
        return None
    return files


def _plugin(item: Item, root: Path) -> list[Path] | None:
    """A plugin of exactly the pinned version among those that the user's engine installed."""
    home = Path(os.environ.get("PULUMI_HOME") or "~/.pulumi").expanduser()
    directory = home / "plugins" / f"resource-{item.plugin}-v{item.version}"
    binary = directory / f"pulumi-resource-{item.plugin}"
    # The engine leaves this beside a plugin that it has not finished.
    unfinished = directory.with_name(f"{directory.name}.partial")
    if not binary.is_file() or unfinished.exists() or directory.is_relative_to(root):
        return None
    return [binary.resolve()]


def _version_of(engine: Path) -> tuple[int, ...] | None:
    try:
        answer = subprocess.run(
            [engine, "version"],
            capture_output=True,
            text=True,
            timeout=20,
            check=True,
            env={**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return _numbers(answer.stdout) or None


def _numbers(version: str) -> tuple[int, ...]:
    match = re.search(r"(\d+)\.(\d+)\.(\d+)", version)
    return tuple(int(number) for number in match.groups()) if match else ()
