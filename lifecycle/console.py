"""What `nodewright` says while it works: lines for a person, or a JSON object a line for a program."""

import json
import sys
from typing import Any

from lifecycle import results, ticket
from lifecycle.errors import LifecycleError
from lifecycle.progress import Progress
from lifecycle.results import Failure, Result
from lifecycle.ticket import Ticket

CLEAR_LINE = "\r\x1b[K"
WIDEST = 110


class Console:
    """Writes to stdout what was asked for and what was done, to stderr what went wrong."""

    def __init__(self, *, as_json: bool) -> None:
        """Write in one of the two ways."""
        self._as_json = as_json
        self._running: dict[tuple[str, str], None] = {}
        self._live = not as_json and sys.stdout.isatty()

    def show(self, plain: dict[str, Any], text: str) -> None:
        """Show what was asked for."""
        self._write(json.dumps(plain) + "\n" if self._as_json else text)

    def confirm(self, shown: Ticket, *, ask: bool) -> bool:
        """Show the ticket; ask a person, unless told not to."""
        if self._as_json:
            self._event("ticket", shown.to_json())
        else:
            self._write(ticket.text(shown))
        if not ask:
            return True
        if not sys.stdin.isatty():
            sys.stderr.write("nobody is there to be asked; give --yes\n")
            return False
        sys.stderr.write("go on? [y/N] ")
        sys.stderr.flush()
        return sys.stdin.readline().strip().lower() in {"y", "yes"}

    def progress(self, made: Progress) -> None:
        """Show that something began or ended."""
        if self._as_json:
            self._event("progress", vars(made))
            return
        if made.state == "begun":
            self._running[(made.node, made.phase)] = None
        else:
            self._running.pop((made.node, made.phase), None)
            sign = "FAILED " if made.state == "failed" else ""
            clear = CLEAR_LINE if self._live else ""
            self._write(f"{clear}  {made.node:18} {sign}{made.phase}  {made.seconds:.1f} s\n")
        if self._live:
            now = ", ".join(f"{node}: {phase}" for node, phase in self._running)
            self._write(f"{CLEAR_LINE}  … {now[:WIDEST]}" if now else CLEAR_LINE)

    def repair(self, text: str) -> None:
        """Say what was repaired."""
        if self._as_json:
            self._event("repair", {"text": text})
        else:
            self._write(f"repaired: {text}\n")

    def result(self, result: Result) -> None:
        """Say what was done."""
        if self._as_json:
            self._event("result", result.to_json())
            return
        if result.ticket and not result.nodes:
            self._write(ticket.text(result.ticket))
        self._write((CLEAR_LINE if self._live else "") + results.render(result))

    def error(self, error: LifecycleError, result: Result | None) -> None:
        """Say what went wrong."""
        if self._as_json:
            failure = Failure(code=int(error.code), kind=error.code.name, text=str(error), result=result)
            self._event("error", failure.to_json())
        else:
            sys.stderr.write((CLEAR_LINE if self._live else "") + f"{error}\n")

    def _event(self, kind: str, content: dict[str, Any]) -> None:
        self._write(json.dumps({"event": kind, **content}) + "\n")

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
