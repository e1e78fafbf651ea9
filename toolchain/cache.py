"""Finished items on disk: a directory counts only when it was renamed into place whole, with its manifest."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

MANIFEST = "manifest.json"
LOCK_POLL_S = 0.2


def cache_root() -> Path:
    """Where everything that can be made again is kept: $NODEWRIGHT_CACHE, else ~/.cache/nodewright."""
    return Path(os.environ.get("NODEWRIGHT_CACHE") or "~/.cache/nodewright").expanduser().absolute()


@dataclass(frozen=True)
class FileRecord:
    """What a file was when its item was finished."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What stands in a finished item's directory and how it came there."""

    item: str
    version: str
    road: str
    source: str
    made_at: str
    seconds: float
    files: dict[str, FileRecord] = field(default_factory=dict)

    @classmethod
    def read(cls, directory: Path) -> Manifest | None:
        """The manifest of a finished directory; None when there is none that can be read."""
        try:
            raw = json.loads((directory / MANIFEST).read_text())
            files = {name: FileRecord(**record) for name, record in raw.pop("files").items()}
            return cls(**raw, files=files)
        except (OSError, ValueError, TypeError, KeyError):
            return None


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def record_files(directory: Path) -> dict[str, FileRecord]:
    """Every file below a directory, by its path in it. Links are followed: what they lead to is what is used."""
    return {
        str(path.relative_to(directory)): FileRecord(path.stat().st_size, sha256_of(path))
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }


def fault_in(directory: Path, *, thorough: bool = False) -> str | None:
    """Why a directory does not count as a finished item; None when it does. Sizes only, unless thorough."""
    manifest = Manifest.read(directory)
    if manifest is None:
        return "it has no readable manifest"
    for name, record in manifest.files.items():
        path = directory / name
        try:
            size = path.stat().st_size
        except OSError:
            return f"{name} is missing"
        if size != record.size:
            return f"{name} has {size} bytes instead of {record.size}"
        if thorough and sha256_of(path) != record.sha256:
            return f"{name} does not have the content it was made with"
    return None


def publish(staged: Path, final: Path, manifest: Manifest) -> None:
    """Put a staged directory in its final place so that it is there whole or not at all."""
    with (staged / MANIFEST).open("w") as stream:
        json.dump(asdict(manifest), stream, indent=1)
    for path in sorted(staged.rglob("*"), reverse=True):
        if not path.is_symlink():
            _flush(path)
    _flush(staged)
    if final.exists():
        shutil.rmtree(final)
    staged.rename(final)
    _flush(final.parent)


def _flush(path: Path) -> None:
    """A rename may reach the disk before what it renames; so everything is written out first."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def staging(parent: Path) -> Iterator[Path]:
    """A directory for work in progress; what an interrupted call left there goes first. The item's lock is held."""
    for leftover in parent.glob(".partial-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    directory = Path(tempfile.mkdtemp(prefix=".partial-", dir=parent))
    directory.chmod(0o755)
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def locked(path: Path, on_wait: Callable[[str], None], check: Callable[[], None] = lambda: None) -> Iterator[int]:
    """Hold a lock file; `on_wait` hears once who has it. Yields the descriptor, for children that must hold it too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        told = False
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not told:
                    on_wait(_holder(path))
                    told = True
                check()
                time.sleep(LOCK_POLL_S)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()} {time.time():.0f}".encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)


def _holder(path: Path) -> str:
    """Who holds a lock, in words."""
    with suppress(OSError, ValueError):
        pid, since = path.read_text().split()
        minutes = max(0, int(time.time()) - int(since)) // 60
        if Path(f"/proc/{pid}").exists():
            return f"process {pid}, which has been making it for {minutes} min"
        return f"what the interrupted process {pid} left running"
    return "another process"
