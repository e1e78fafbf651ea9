"""Where finished builds lie: each under a key of all it was made from, complete or not there at all."""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from lab import paths

UNFINISHED = ".unfinished"
SCRATCH = "scratch-"


def folder() -> Path:
    return paths.home() / "images"


def key_of(inputs: Iterable[str | Path]) -> str:
    """A short digest of words and of files: names, modes, link targets and contents."""
    digest = hashlib.sha256()
    for item in inputs:
        if isinstance(item, str):
            digest.update(f"word {item}\0".encode())
        else:
            for path in sorted([item, *item.rglob("*")]) if item.is_dir() else [item]:
                digest.update(_fingerprint(path, path.relative_to(item.parent)))
    return digest.hexdigest()[:12]


def _fingerprint(path: Path, name: Path) -> bytes:
    if path.is_symlink():
        return f"link {name} {path.readlink()}\0".encode()
    if path.is_dir():
        return f"folder {name}\0".encode()
    executable = os.access(path, os.X_OK)
    return f"file {name} {executable} {hashlib.sha256(path.read_bytes()).hexdigest()}\0".encode()


def ensure(name: str, key: str, build: Callable[[Path], None]) -> Path:
    """The finished directory of that name and key; `build` fills an empty one when there is none yet."""
    target = folder() / f"{name}-{key}"
    if target.is_dir():
        return target
    unfinished = target.with_name(target.name + UNFINISHED)
    unfinished.mkdir(parents=True)
    build(unfinished)
    unfinished.rename(target)
    return target


def sweep() -> None:
    """Remove what interrupted calls left. The caller holds the lock of the store: nobody else is building."""
    for left_over in (*folder().glob(f"*{UNFINISHED}"), *folder().glob(f"{SCRATCH}*")):
        shutil.rmtree(left_over)
