"""Who may build now: a few at once, the first in line before the others; and the end of it all when one fails."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class StoppedError(Exception):
    """Somebody else failed or the user interrupted; this work is left as it is."""


class Turns:
    """A fixed number of turns, given to whoever stands first in line among those who wait."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._waiting: set[int] = set()
        self._changed = threading.Condition()
        self._stopped = False

    @contextmanager
    def turn(self, place: int) -> Iterator[None]:
        """Wait for a turn and hold it."""
        with self._changed:
            self._waiting.add(place)
            self._changed.wait_for(lambda: self._stopped or (self._free > 0 and place == min(self._waiting)))
            self._waiting.discard(place)
            self.check()
            self._free -= 1
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._changed.notify_all()

    def stop(self) -> None:
        """Give no more turns and end what checks."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def check(self) -> None:
        """Raise when all was stopped."""
        if self._stopped:
            raise StoppedError
