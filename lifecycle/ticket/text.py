"""A ticket for a terminal."""

from collections.abc import Iterable

from lifecycle.ticket.model import Level, Ticket
from lifecycle.ticket.words import behind_lines, details, headline, other_lines, quorum_line, unknown_line


def render(ticket: Ticket) -> str:
    """Write the ticket as plain text, dangers first."""
    return "\n".join(_lines(ticket)) + "\n"


def _lines(ticket: Ticket) -> Iterable[str]:
    yield f"stack {ticket.stack}, cluster {ticket.cluster}: {headline(ticket)}"
    for danger in ticket.dangers:
        yield f"  {'STOP' if danger.level is Level.STOP else 'careful'} [{danger.rule}] {danger.text}"
    for edit in ticket.edits:
        yield f"  stack file: {edit}"
    width = max((len(node.node) for node in ticket.nodes), default=0)
    for node in ticket.nodes:
        reasons = f"  {', '.join(node.reasons)}" if node.reasons else ""
        yield f"  {node.node:{width}}  {node.action.value}{reasons}"
        yield from (f"  {'':{width}}    {line}" for line in details(node))
    yield from (f"  also: {line}" for line in other_lines(ticket))
    if ticket.changes:
        yield f"  quorum: {quorum_line(ticket.quorum)}"
    yield from (f"  behind: {line}" for line in behind_lines(ticket))
    if ticket.untouched:
        yield f"  untouched: {', '.join(ticket.untouched)}"
    note = unknown_line(ticket)
    if note:
        yield f"  note: {note}"
