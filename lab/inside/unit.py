"""What a unit is: a service that is kept running, or a step that is done once."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab.inside import places

# Tells whether a unit that was started at this time (seconds since the epoch) does its work by now.
Probe = Callable[[float], bool]


def at_once(started: float) -> bool:
    """The probe of a unit that nobody needs to wait for."""
    return started > 0


@dataclass(frozen=True, kw_only=True)
class Unit:
    """One line of the table in `lab.inside.units`."""

    name: str
    command: tuple[str, ...]
    after: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Service(Unit):
    """Runs as long as the lab is up; restarted with back-off when it ends."""

    answers: Probe = at_once
    # Only when `lab up --with FEATURE` was called once.
    feature: str = ""


@dataclass(frozen=True, kw_only=True)
class Step(Unit):
    """Runs until it succeeded once; again when one of its inputs changed."""

    inputs: tuple[Path, ...] = ()
    feature: str = ""

    def fingerprint(self) -> str:
        content = "\0".join(self.command).encode()
        for path in self.inputs:
            content += path.read_bytes() if path.exists() else b""
        return hashlib.sha256(content).hexdigest()

    def is_done(self) -> bool:
        marker = places.DONE / self.name
        return marker.exists() and marker.read_text() == self.fingerprint()

    def mark_done(self, fingerprint: str) -> None:
        places.DONE.mkdir(parents=True, exist_ok=True)
        (places.DONE / self.name).write_text(fingerprint)
