"""Locks between two calls of the lab's commands."""

import contextlib
import fcntl
from collections.abc import Callable, Iterator
from pathlib import Path


@contextlib.contextmanager
def held(path: Path, say: Callable[[str], None], holder: str) -> Iterator[None]:
    """Hold the lock file; when someone else does, say so and wait for him."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for {holder} to end")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
