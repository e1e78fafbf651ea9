"""The machine images that the lab's cloud offers, as root directories under the cache."""

from collections.abc import Callable, Collection
from pathlib import Path

from lab.images import build, recipe

NAMES = tuple(recipe.IMAGES)


def ensure(names: Collection[str] = NAMES, *, progress: Callable[[str], None] = print) -> dict[str, Path]:
    """Build what is not there yet; return the root directory of each image by its name in Glance."""
    return build.ensure(names, progress)


def prune(in_use: Collection[str], *, progress: Callable[[str], None] = print) -> None:
    """Remove root directories of earlier recipes, and what they were made from, unless they are in use."""
    build.prune(in_use, progress)


__all__ = ["NAMES", "ensure", "prune"]
