"""Sentences that every form of a ticket shares."""

from collections.abc import Iterable

from lifecycle.steps import KINDS, Action
from lifecycle.ticket.model import NodeChange, Quorum, Ticket

ORDER = (Action.REMOVED, Action.REPLACED, Action.ADDED, Action.UPDATED)
NAMES_SHOWN = 6
NODES = ("control-plane", "worker")


def headline(ticket: Ticket) -> str:
    """Say the change in one line."""
    if not ticket.changes:
        return "nothing changes"
    counts = [
        f"{len(nodes)} {'machine' if len(nodes) == 1 else 'machines'} {action.value}"
        for action in ORDER
        if (nodes := ticket.with_action(action))
    ]
    if ticket.others:
        counts.append(f"{len(ticket.others)} other {'change' if len(ticket.others) == 1 else 'changes'}")
    return ", ".join(counts)


def details(node: NodeChange) -> Iterable[str]:
    """Say what one machine's change means, a line each."""
    if node.pods:
        yield f"{_count(node.pods, 'pod')} {'moves' if len(node.pods) == 1 else 'move'}: {_some(node.pods)}"
    elif node.pods is not None and node.role in NODES and node.action in {Action.REPLACED, Action.REMOVED}:
        yield "no pods move"
    if node.keeps:
        yield f"kept: {', '.join(node.keeps)}"
    if node.parts:
        yield f"in place: {', '.join(node.parts)}"
    if node.after:
        yield f"after: {', '.join(node.after)}"


def quorum_line(quorum: Quorum) -> str:
    """Say how the control plane stands before, during and after."""
    if quorum.before == 0:
        return f"{quorum.after} etcd {'member' if quorum.after == 1 else 'members'} will be made"
    ready = "not asked" if quorum.ready is None else f"{quorum.ready} ready"
    parts = [f"{quorum.before} etcd {'member' if quorum.before == 1 else 'members'} ({ready})"]
    if quorum.lowest < min(quorum.before, quorum.after):
        parts.append(f"{quorum.lowest} while one is replaced")
    if quorum.after != quorum.before:
        parts.append(f"{quorum.after} afterwards")
    return f"{', '.join(parts)}; {quorum.needed} needed"


def other_lines(ticket: Ticket) -> Iterable[str]:
    """Say what happens to things that belong to no machine: each by name, or their number where they are many."""
    groups: dict[tuple[str, Action], list[str]] = {}
    for change in ticket.others:
        groups.setdefault((change.kind, change.action), []).append(change.name)
    for (kind, action), names in groups.items():
        word = KINDS.get(kind, kind)
        if len(names) > NAMES_SHOWN:
            yield f"{len(names)} {word}s {action.value}"
        else:
            yield f"{word} {', '.join(names)} {action.value}"


def behind_lines(ticket: Ticket) -> Iterable[str]:
    """Say which machines run on something else than the file wishes, grouped by what they run on."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for item in ticket.behind:
        groups.setdefault((item.what, item.runs, item.wished), []).append(item.node)
    for (what, runs, wished), nodes in groups.items():
        yield f"{', '.join(nodes)}: {what} {runs}, wished {wished}; taken over when replaced"


def unknown_line(ticket: Ticket) -> str | None:
    """Say what this ticket does not know."""
    if ticket.unknown is None or not ticket.changes or ticket.quorum.before == 0:
        return None
    return f"pods, budgets and etcd's health are not known: {ticket.unknown}"


def _count(things: tuple[str, ...], word: str) -> str:
    return f"{len(things)} {word}{'' if len(things) == 1 else 's'}"


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - NAMES_SHOWN
    return ", ".join(names[:NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")
