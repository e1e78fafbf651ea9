"""The engine, its plugins and the programs of a node, each at its pinned version.

Uses the standard library only, so that it runs before the project's virtual environment exists.
"""

from __future__ import annotations

from pathlib import Path

from toolchain.cache import cache_root
from toolchain.errors import ToolchainError

__all__ = ["ToolchainError", "cache_root", "ensure", "environment"]


def ensure(names: list[str]) -> dict[str, Path]:
    """Make what is missing of these items and sets; the directory of each item."""
    from toolchain.supply import Supply

    return Supply.usual().ensure(names)


def environment() -> dict[str, str]:
    """What a shell needs so that `pulumi`, `kubectl` and `etcdctl` are the pinned ones. Makes nothing."""
    from toolchain.shell import variables
    from toolchain.supply import Supply

    return variables(Supply.usual())
