"""Where finished builds lie: each under a key of all it was made from, complete or not there at all."""

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Collection, Iterable
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
    if not target.is_dir():
        unfinished = target.with_name(target.name + UNFINISHED)
        unfinished.mkdir(parents=True)
        build(unfinished)
        unfinished.rename(target)
    # When it was last asked for; the kernel's own idea of now is too coarse to tell one call from the next.
    os.utime(target, ns=(time.time_ns(), time.time_ns()))
    return target


def sweep() -> None:
    """Remove what interrupted calls left. The caller holds the lock of the store: nobody else is building."""
    for left_over in (*folder().glob(f"*{UNFINISHED}"), *folder().glob(f"{SCRATCH}*")):
        shutil.rmtree(left_over)


def prune(names: Collection[str], in_use: Collection[str]) -> list[str]:
    """Remove builds under earlier keys, and tell which: of each name the one last asked for stays, and what is in use.

    The caller holds the lock of the store and knows all names that there are.
    """
    sweep()
    finished = [path for path in folder().glob("*-*") if path.is_dir()]
    last = {_name(path): path for path in sorted(finished, key=lambda path: path.stat().st_mtime_ns)}
    kept = {path.name for name, path in last.items() if name in names} | set(in_use)
    removed = sorted(path for path in finished if path.name not in kept)
    for path in removed:
        # Under another name first, so that a half-removed build is never taken for a whole one.
        doomed = path.rename(path.with_name(path.name + UNFINISHED))
        shutil.rmtree(doomed)
    return [path.name for path in removed]


def _name(finished: Path) -> str:
    return finished.name.rpartition("-")[0]
