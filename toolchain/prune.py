"""The cache without what is pinned no more: items of other versions or keys, and plugins of other versions."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from toolchain import golang
from toolchain.cache import locked
from toolchain.catalog import Catalog
from toolchain.job import ROADS
from toolchain.plugins import plugin_directory, pulumi_home


class HeldError(Exception):
    """Somebody is making the item; carries who."""


def prune(catalog: Catalog, root: Path) -> Iterator[tuple[int, str]]:
    """Remove it; give how many bytes each took, and what became of it in words."""
    items = catalog.items.values()
    pinned = {item.directory(root, road, catalog.modules) for item in items for road in ROADS}
    pinned.add(golang.directory(catalog.go, root))
    for directory in sorted((root / "toolchain").glob("*/[!.]*-*/")):
        if directory not in pinned:
            try:
                with locked(directory.parent / ".lock", _give_up):
                    yield _removed(directory)
            except HeldError as held:
                yield 0, f"kept {directory}: its lock is held by {held}"
    wanted = {plugin_directory(item, root) for item in items if item.plugin}
    for directory in sorted((pulumi_home(root) / "plugins").glob("resource-*-v*/")):
        if directory not in wanted:
            yield _removed(directory)


def _removed(directory: Path) -> tuple[int, str]:
    size = sum(path.lstat().st_size for path in directory.rglob("*") if path.is_file())
    shutil.rmtree(directory)
    return size, f"removed {directory}: {size / 1e6:.0f} MB"


def _give_up(holder: str) -> None:
    raise HeldError(holder)
