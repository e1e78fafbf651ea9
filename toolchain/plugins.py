"""Finished plugins where the engine looks for pinned versions."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from toolchain.catalog import Item


def pulumi_home(root: Path) -> Path:
    """The engine's own directory: not the user's, whose plugins stay as they are."""
    return root / "pulumi"


def plugin_directory(item: Item, root: Path) -> Path:
    """Where the engine looks for the pinned version of a plugin."""
    return pulumi_home(root) / "plugins" / f"resource-{item.plugin}-v{item.version}"


def install(item: Item, directory: Path, root: Path) -> None:
    """Make the engine find a plugin as `resource-NAME-vVERSION`.

    A directory of hard links: the engine takes no symbolic link for a plugin's directory.
    """
    binary = directory / "bin" / f"pulumi-resource-{item.plugin}"
    target = plugin_directory(item, root) / binary.name
    if target.exists() and _same(target, binary):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    staged = target.with_name(f".{target.name}.{os.getpid()}")
    staged.unlink(missing_ok=True)
    try:
        os.link(binary.resolve(), staged)
    except OSError:  # the user's own plugin may be on another file system
        shutil.copy2(binary, staged)
    staged.rename(target)
    # What the engine leaves beside a plugin that it gave up installing, and would then pass over.
    target.parent.with_name(f"{target.parent.name}.partial").unlink(missing_ok=True)


def _same(one: Path, other: Path) -> bool:
    """The same file, or a copy of it with its time."""
    a, b = one.stat(), other.stat()
    return os.path.samestat(a, b) or (a.st_size, a.st_mtime_ns) == (b.st_size, b.st_mtime_ns)
