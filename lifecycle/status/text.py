"""A status for a terminal."""

from collections.abc import Iterable

from lifecycle.status.model import Status


def render(status: Status) -> str:
    """Write a table, then what is wrong and what mends it."""
    return "\n".join(_lines(status)) + "\n"


def _lines(status: Status) -> Iterable[str]:
    verdict = "healthy" if status.healthy else "needs attention"
    if status.unknown:
        verdict = f"{verdict}, as far as can be seen"
    yield f"stack {status.stack}, cluster {status.cluster}, {status.endpoint or 'no endpoint yet'}: {verdict}"
    rows = [("machine", "address", "server", "Kubernetes", "incarnation")]
    rows += [(n.node, n.address, n.server, n.kubernetes, n.incarnation) for n in status.nodes]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  " + "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
    for node in status.nodes:
        yield from (f"  broken: {node.node}: {text}" for text in node.broken)
        yield from (f"  note: {node.node}: {text}" for text in node.notes)
    yield from (f"  stranger: {text}" for text in status.strangers)
    yield from (f"  interrupted: {text}; the next operation repairs it" for text in status.interrupted)
    yield from (f"  not known: {text}" for text in status.unknown)
    for proposal in status.proposals:
        edits = f"   (stack file: {'; '.join(proposal.edits)})" if proposal.edits else ""
        yield f"  to mend it: {proposal.command}{edits}"
