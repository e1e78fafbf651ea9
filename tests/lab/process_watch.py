"""Every command line on this machine, the lab's machines included, for as long as it looks."""

import os
from collections.abc import Mapping
from pathlib import Path

from tests.background import Background

PERIOD_S = 0.05


class ProcessWatch(Background):
    """Looks for texts on the command lines of all processes but this one and its parents."""

    def __init__(self, wanted: Mapping[str, bytes]) -> None:
        super().__init__()
        self._wanted = wanted
        self.looks = 0
        self.found: set[str] = set()

    def _work(self) -> None:
        while not self._over.wait(PERIOD_S):
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
