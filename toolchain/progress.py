"""Progress lines on stderr; stdout belongs to answers that other programs read."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

_lock = threading.Lock()


def say(text: str) -> None:
    """One line, whole, also when two builds speak at once."""
    with _lock:
        sys.stderr.write(f"toolchain: {text}\n")
        sys.stderr.flush()


def duration(seconds: float) -> str:
    """A length of time as a person says it."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


class Ticker:
    """Speaks for one item, at most every few seconds, and asks each time whether the work is to go on."""

    def __init__(self, label: str, check: Callable[[], None], every_s: float = 15) -> None:
        self._label = label
        self._check = check
        self._every_s = every_s
        self._started = time.monotonic()
        self._spoken = self._started

    @property
    def elapsed_s(self) -> float:
        """Seconds since the item was begun."""
        return time.monotonic() - self._started

    def now(self, text: str) -> None:
        """Say this now."""
        self._spoken = time.monotonic()
        say(f"{self._label}: {text}")

    def maybe(self, text: Callable[[], str]) -> None:
        """Say this when nothing was said for a while."""
        self._check()
        if time.monotonic() - self._spoken >= self._every_s:
            self.now(f"{text()}, {duration(self.elapsed_s)}")
