"""Faults of a stack's settings, said in words: where, what was found, what to write instead."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from cluster.settings.section import Section

LONGEST_SHOWN = 60

# What to say for pydantic's kinds of errors: what was found, and what to write instead.
SAYINGS = {
    "bool_type": "is {found}; give true or false without quotes",
    "dict_type": "is {found}; give a mapping of keys to values",
    "enum": "is {found}; give one of {expected}",
    "greater_than_equal": "is {found}; give {ge} or more",
    "int_from_float": "is {found}; give a whole number",
    "int_type": "is {found}; give a whole number without quotes",
    "ip_v4_address": "is {found}; give an IPv4 address, like 10.0.0.2",
    "less_than_equal": "is {found}; give {le} or less",
    "model_type": "is {found}; give a mapping of keys to values",
    "string_too_short": "is empty; give a text, or leave the key out",
    "string_type": "is {found}; give a text",
    "too_short": "is empty; give at least {min_length}",
    "tuple_type": "is {found}; give a list, like [a, b]",
}


@dataclass(frozen=True, order=True)
class Fault:
    """One thing that is wrong, at its kebab-case path."""

    path: str
    text: str

    def __str__(self) -> str:
        """Give the line a person reads."""
        return f"{self.path}: {self.text}"


class SettingsError(Exception):
    """The settings cannot be used; carries every fault."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        """Say all faults, sorted by path."""
        self.faults = tuple(sorted(set(faults)))
        count = "1 fault" if len(self.faults) == 1 else f"{len(self.faults)} faults"
        lines = "\n".join(f"  {fault}" for fault in self.faults)
        super().__init__(f"reading nodewright:cluster: {count}; nothing was changed\n{lines}")


def faults_of(error: ValidationError, model: type[Section]) -> Iterable[Fault]:
    """Turn what pydantic found into words for the person who wrote the stack file."""
    for details in error.errors():
        place = tuple(part for part in details["loc"] if part != "[key]" and not _is_union_branch(part))
        yield Fault(".".join(str(part) for part in place) or "nodewright:cluster", _say(details, model, place))


def _is_union_branch(part: int | str) -> bool:
    """Tell the tags of a union's branches, written in parentheses, which are no part of the path."""
    return isinstance(part, str) and part.startswith("(")


def _say(details: ErrorDetails, model: type[Section], place: tuple[int | str, ...]) -> str:
    kind, context = details["type"], details.get("ctx", {})
    if kind == "value_error":
        return str(context["error"])
    if kind == "extra_forbidden":
        return _unknown_key(str(place[-1]), _section_at(model, place[:-1]))
    if kind == "missing":
        return f"is missing; add it: {_description(model, place)}"
    found = _shown(details["input"])
    if kind not in SAYINGS:
        return f"is {found}; {details['msg']}"
    return SAYINGS[kind].format(found=found, **context)


def _shown(value: object) -> str:
    if value is None:
        return "empty"
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def _unknown_key(key: str, section: type[Section] | None) -> str:
    known = list(section.keys()) if section else []
    close = get_close_matches(key.replace("_", "-").lower(), known, n=1)
    if close:
        return f"is no setting; did you mean {close[0]}?"
    return f"is no setting; remove it, or use one of {', '.join(known)}"


def _description(model: type[Section], place: tuple[int | str, ...]) -> str:
    section = _section_at(model, place[:-1])
    field = section.keys().get(str(place[-1])) if section else None
    return (field.description if field else None) or "see docs/config.md"


def _section_at(model: type[Section], place: tuple[int | str, ...]) -> type[Section] | None:
    """Find the section that a path leads to."""
    current: type[Section] | None = model
    within: Any = None
    for part in place:
        if within is not None:  # the name of a pool or the number in a list: the section is what they hold
            current, within = section_in(within), None
            continue
        field = current.keys().get(str(part)) if current else None
        if field is None:
            return None
        if is_collection(field.annotation):
            within = field.annotation
        else:
            current = section_in(field.annotation)
    return current


def is_collection(annotation: Any) -> bool:
    """Tell whether a field holds several sections, by name or in a list."""
    origin = get_origin(annotation)
    if origin in {Union, UnionType}:
        return any(is_collection(part) for part in get_args(annotation))
    if origin is Annotated:
        return is_collection(get_args(annotation)[0])
    return origin in {dict, tuple}


def section_in(annotation: Any) -> type[Section] | None:
    """Find the section class inside an annotation, however it is wrapped."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    return next((found for part in get_args(annotation) if (found := section_in(part))), None)
