"""A ticket for a pull request."""

from collections.abc import Iterable

from lifecycle.ticket.model import Level, Ticket
from lifecycle.ticket.words import behind_lines, details, headline, other_lines, quorum_line, unknown_line


def render(ticket: Ticket) -> str:
    """Write the ticket as Markdown, dangers first."""
    return "\n".join(_lines(ticket)) + "\n"


def _lines(ticket: Ticket) -> Iterable[str]:
    yield f"### Stack `{ticket.stack}`, cluster `{ticket.cluster}`: {headline(ticket)}"
    if ticket.dangers:
        yield ""
    for danger in ticket.dangers:
        sign = "🛑 **stops here**" if danger.level is Level.STOP else "⚠️"
        yield f"- {sign} {_text(danger.text)} (`{danger.rule}`)"
    if ticket.nodes:
        yield from ("", "| machine | what | why | what it means |", "|---|---|---|---|")
    for node in ticket.nodes:
        means = "<br>".join(_text(line) for line in details(node))
        yield f"| `{node.node}` | {node.action.value} | {_text(', '.join(node.reasons))} | {means} |"
    if ticket.changes:
        yield ""
        yield from (f"- also: {_text(line)}" for line in other_lines(ticket))
        yield f"- quorum: {_text(quorum_line(ticket.quorum))}"
    elif ticket.behind:
        yield ""
    yield from (f"- behind: {_text(line)}" for line in behind_lines(ticket))
    if ticket.untouched and ticket.changes:
        yield f"- untouched: {', '.join(ticket.untouched)}"
    note = unknown_line(ticket)
    if note:
        yield f"- {_text(note)}"


def _text(value: str) -> str:
    """Keep names from the cluster from being read as Markdown or HTML."""
    for sign in "\\`*_<>|[]":
        value = value.replace(sign, f"\\{sign}" if sign not in "<>" else {"<": "&lt;", ">": "&gt;"}[sign])
    return value.replace("\n", " ")
