"""Every command line and environment on this machine, the lab's machines included, for as long as it looks."""

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

PERIOD_S = 0.05


class ProcessWatch:
    """Looks for texts on the command lines of all processes but this one and its parents."""

    def __init__(self, wanted: Mapping[str, bytes]) -> None:
        self._wanted = wanted
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self.looks = 0
        self.found: set[str] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _look_on(self) -> None:
        while not self._stop.wait(PERIOD_S):
            self.looks += 1
            for directory in Path("/proc").iterdir():
                if directory.name.isdigit() and int(directory.name) != os.getpid():
                    self._look_at(directory)

    def _look_at(self, process: Path) -> None:
        try:
            line = (process / "cmdline").read_bytes()
        except OSError:
            return  # it has ended
        program = line.split(b"\0")[0].decode(errors="replace")
        self.found |= {
            f"{what} on the command line of {program}" for what, text in self._wanted.items() if text in line
        }
