"""One unit of the table while the lab runs: its process, its log, its restarts."""

import contextlib
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from typing import Any

from lab.inside import places
from lab.inside.unit import Service, Step

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
# A service that lived this long was healthy: its next restart is quick again.
HEALTHY_AFTER_S = 60.0


def hear_signals() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


@dataclass
class Process:
    unit: Service | Step
    state: str = "waiting"
    pid: int = 0
    restarts: int = 0
    started: float = 0.0
    resume_at: float = 0.0
    pause_s: float = FIRST_PAUSE_S
    last_exit: int | None = None
    fingerprint: str = ""
    log: str = field(init=False)

    def __post_init__(self) -> None:
        self.log = str(places.LOGS / f"{self.unit.name}.log")

    def start(self) -> None:
        if isinstance(self.unit, Step):
            self.fingerprint = self.unit.fingerprint()
        with open(self.log, "ab") as log:
            log.write(f"--- {time.strftime('%F %T')} start: {' '.join(self.unit.command)}\n".encode())
            log.flush()
            # A session of its own, so that what it leaves behind can be ended with it.
            child = subprocess.Popen(
                self.unit.command,
                env=os.environ | dict(self.unit.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                # Process 1 holds its signals back to read them one by one; a service must hear its own.
                preexec_fn=hear_signals,  # noqa: PLW1509 (process 1 has no threads)
            )
        # Process 1 reaps everything itself; Popen must not wait for it, too.
        child.returncode = 0
        self.pid, self.started, self.state = child.pid, time.time(), "starting"

    def ended(self, exit_code: int) -> None:
        """Decide what follows: done, or again after a pause that grows."""
        lived = time.time() - self.started
        self.end_group()
        self.pid, self.last_exit = 0, exit_code
        if isinstance(self.unit, Step) and exit_code == 0:
            self.unit.mark_done(self.fingerprint)
            self.state = "done"
            return
        if lived > HEALTHY_AFTER_S:
            self.pause_s = FIRST_PAUSE_S
        self.state = "failed"
        self.restarts += 1
        self.resume_at = time.time() + self.pause_s
        self.pause_s = min(self.pause_s * 2, LONGEST_PAUSE_S)

    def end_group(self, how: signal.Signals = signal.SIGKILL) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, how)

    def look(self) -> None:
        """Ask a starting unit whether it does its work by now."""
        if self.state == "starting" and isinstance(self.unit, Service) and self.unit.answers(self.started):
            self.state = "up"

    @property
    def is_good(self) -> bool:
        return self.state in ("up", "done")

    def report(self) -> dict[str, Any]:
        return {
            "state": self.state,
            "kind": "step" if isinstance(self.unit, Step) else "service",
            "pid": self.pid,
            "restarts": self.restarts,
            "since": self.started,
            "last_exit": self.last_exit,
            "log": f"{self.unit.name}.log",
        }
