"""Something that goes on beside a test for as long as its block lasts."""

import threading
from types import TracebackType
from typing import Self

LAST_ROUND_S = 30


class Background:
    """`_work` runs in a thread until `_over` is set; it may raise nothing."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join(LAST_ROUND_S)
        assert not self._thread.is_alive(), f"{type(self).__name__} does not end"

    def _work(self) -> None:
        raise NotImplementedError
