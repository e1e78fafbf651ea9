"""The steps of one run of the engine, with the times at which its event log told of them."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.background import Background

# The log's own times are whole seconds; a line's own is when it is read, and it is read this often.
LOOK_EVERY_S = 0.02


@dataclass(frozen=True)
class Step:
    """One thing done to one resource."""

    urn: str
    op: str
    began: float
    ended: float

    @property
    def seconds(self) -> float:
        return self.ended - self.began

    @property
    def name(self) -> str:
        return f"{self.op} {self.urn.rpartition('::')[2]}"


class EventLog(Background):
    """Reads an event log while the engine writes it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._seen: list[tuple[float, dict[str, Any]]] = []

    def steps(self) -> list[Step]:
        """Every step that something was done in, in the order of its end."""
        return list(steps(self._seen))

    def _work(self) -> None:
        while not self._path.exists() and not self._over.is_set():
            time.sleep(LOOK_EVERY_S)
        if not self._path.exists():
            return
        with self._path.open(encoding="utf-8") as log:
            rest = ""
            while True:
                last_look = self._over.is_set()
                rest += log.read()
                *lines, rest = rest.split("\n")
                now = time.monotonic()
                self._seen += [(now, json.loads(line)) for line in lines]
                if last_look:
                    return
                time.sleep(LOOK_EVERY_S)


def steps(events: list[tuple[float, dict[str, Any]]]) -> Iterator[Step]:
    """Pair the begin of each step with its end; what stays the same, and components, take no time."""
    begun: dict[tuple[str, str], float] = {}
    for at, event in events:
        if "resourcePreEvent" in event:
            metadata = event["resourcePreEvent"]["metadata"]
            begun[metadata["urn"], metadata["op"]] = at
        elif "resOutputsEvent" in event:
            metadata = event["resOutputsEvent"]["metadata"]
            key = metadata["urn"], metadata["op"]
            if metadata["op"] != "same" and key in begun and is_work(metadata):
                yield Step(urn=key[0], op=key[1], began=begun.pop(key), ended=at)


def is_work(metadata: dict[str, Any]) -> bool:
    """Tell resources that a provider does something for from components, which last as long as what is in them."""
    return bool((metadata.get("new") or metadata.get("old") or {}).get("custom"))
