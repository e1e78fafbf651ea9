"""Process 1 of the lab: starts every unit when its causes are there, restarts what ends, and says how it is."""

import json
import os
import signal
import time
from pathlib import Path

from lab.inside import places, settled
from lab.inside.process import Process
from lab.inside.unit import Service, Step, Unit
from lab.inside.units import UNITS

BEAT_S = 0.5
# Servers that cannot come back do not keep the lab from being ready for others.
SETTLE_LIMIT_S = 60.0
SERVICES_END_S = 6.0
SERVERS_END_S = 15.0
ENDING = {signal.SIGTERM, signal.SIGINT}


class Supervisor:
    def __init__(self, units: tuple[Unit, ...]) -> None:
        self.started = time.time()
        self.processes = {unit.name: Process(unit) for unit in units if isinstance(unit, Service | Step)}
        self.services_up_at = 0.0
        self.ready_at = 0.0
        self.said = ""

    # ---- one beat
    def wanted(self) -> list[Process]:
        features = {path.name for path in places.FEATURES.glob("*")}
        return [process for process in self.processes.values() if process.unit.feature in features | {""}]

    def advance(self) -> None:
        for process in self.wanted():
            unit = process.unit
            if isinstance(unit, Step) and process.state in ("waiting", "done"):
                process.state = "done" if unit.is_done() else "waiting"
            causes = all(self.processes[name].is_good for name in unit.after)
            paused = process.state == "failed" and time.time() < process.resume_at
            if process.state in ("waiting", "failed") and causes and not paused:
                process.start()
            process.look()

    def reap(self) -> None:
        by_pid = {process.pid: process for process in self.processes.values() if process.pid}
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in by_pid:
                by_pid[pid].ended(os.waitstatus_to_exitcode(status))

    def judge(self) -> None:
        """Ready: every unit is good, and what ran before `lab down` runs again."""
        everything = all(process.is_good for process in self.wanted())
        if not everything:
            self.services_up_at = self.ready_at = 0.0
            return
        self.services_up_at = self.services_up_at or time.time()
        waited = time.time() - self.services_up_at
        if not self.ready_at and (waited > SETTLE_LIMIT_S or not settled.missing()):
            self.ready_at = time.time()

    def report(self) -> None:
        waiting = [process.unit.name for process in self.wanted() if not process.is_good]
        if not waiting and not self.ready_at:
            waiting = settled.missing()
        status = {
            "started": self.started,
            "ready": bool(self.ready_at),
            "ready_after": self.ready_at - self.started if self.ready_at else None,
            "waiting_for": waiting,
            "units": {process.unit.name: process.report() for process in self.wanted()},
        }
        text = json.dumps(status, indent=1)
        if text != self.said:
            unfinished = places.STATUS.with_suffix(".unfinished")
            unfinished.write_text(text)
            unfinished.rename(places.STATUS)
            self.said = text

    # ---- the whole life
    def live(self) -> None:
        while True:
            if signal.sigtimedwait(ENDING, BEAT_S):
                break
            self.reap()
            self.advance()
            self.judge()
            self.report()
        self.end()

    def end(self) -> None:
        """As a cloud's operator would: hands off first, then the servers, then the services."""
        self.end_units(["nova-compute"], SERVICES_END_S)
        settled.halt_servers(SERVERS_END_S, self.reap)
        infrastructure = ("mariadb", "rabbitmq", "memcached")
        self.end_units([name for name in self.processes if name not in infrastructure], SERVICES_END_S)
        self.end_units(list(infrastructure), SERVICES_END_S)

    def end_units(self, names: list[str], limit_s: float) -> None:
        running = [self.processes[name] for name in names if self.processes[name].pid]
        for process in running:
            os.kill(process.pid, signal.SIGTERM)
        until = time.time() + limit_s
        while any(process.pid for process in running) and time.time() < until:
            time.sleep(0.1)
            self.reap()
        for process in running:
            if process.pid:
                process.end_group()


def keep_previous_logs() -> None:
    """One file for each unit and each life of the lab; the life before it stays readable."""
    for process in UNITS:
        log = Path(places.LOGS / f"{process.name}.log")
        if log.exists():
            log.replace(log.with_suffix(".log.1"))


def main() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    keep_previous_logs()
    places.INSTANCES.mkdir(parents=True, exist_ok=True)
    places.FEATURES.mkdir(parents=True, exist_ok=True)
    Supervisor(UNITS).live()


if __name__ == "__main__":
    main()
