"""The change ticket: what an operation would do, in words of the domain, dangers first."""

from lifecycle.ticket.make import destruction, ticket
from lifecycle.ticket.markdown import render as markdown
from lifecycle.ticket.model import Behind, Danger, Level, NodeChange, OtherChange, Quorum, Ticket
from lifecycle.ticket.text import render as text

__all__ = [
    "Behind",
    "Danger",
    "Level",
    "NodeChange",
    "OtherChange",
    "Quorum",
    "Ticket",
    "destruction",
    "markdown",
    "text",
    "ticket",
]
