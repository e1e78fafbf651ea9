"""The JSON that programs get, described from the types: docs/schemas/ for programs, docs/results.md for people."""

import ast
import inspect
import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any

from pydantic import TypeAdapter

from lifecycle.picture import Picture
from lifecycle.picture.model import SCHEMA as PICTURE
from lifecycle.picture.model import Box
from lifecycle.progress import Progress
from lifecycle.results import SCHEMA as RESULT
from lifecycle.results import Failure, NodeResult, Outcome, Phase, Result
from lifecycle.status import Status
from lifecycle.status.model import SCHEMA as STATUS
from lifecycle.status.model import NodeStatus, Proposal
from lifecycle.steps import Action
from lifecycle.ticket import Level, Ticket
from lifecycle.ticket.model import SCHEMA as TICKET
from lifecycle.ticket.model import Behind, Danger, NodeChange, OtherChange, Quorum

HEAD = """\
# Results

What `nodewright --json` prints and what the calls of `lifecycle.operations` return. Written from the types, as are the
JSON schemas in [schemas/](schemas/); `make golden` writes them anew.

Verbs that change something print one JSON object a line, each with an `event`: `repair` (with a `text`), `ticket`,
`progress`, and last `result` or `error`. Verbs that only look print one object. A `schema` changes its number when a
field changes its meaning or goes; fields may be added.
"""
# What each file describes, and the name in it, where it says one.
FILES: Mapping[str, tuple[type, str | None]] = {
    "result": (Result, RESULT),
    "ticket": (Ticket, TICKET),
    "status": (Status, STATUS),
    "picture": (Picture, PICTURE),
    "progress": (Progress, None),
    "error": (Failure, None),
}
PARTS: tuple[type, ...] = (Action, Behind, Box, Danger, Level, NodeChange, NodeResult, NodeStatus, OtherChange, Outcome)
PARTS += (Phase, Proposal, Quorum)
DERIVED: Mapping[str, Mapping[str, Any]] = {
    "ticket": {"changes": {"type": "boolean", "description": "Whether anything would happen."}},
    "status": {"healthy": {"type": "boolean", "description": "Whether nothing is broken, as far as could be seen."}},
}


def schemas() -> dict[str, dict[str, Any]]:
    """Give the JSON schema of everything that is printed, by the name of its file."""
    return {file: _schema(file, type_, name) for file, (type_, name) in FILES.items()}


def files() -> dict[str, str]:
    """Write docs/schemas/: the text of each file, by its name."""
    return {f"{file}.json": json.dumps(schema, indent=1) + "\n" for file, schema in schemas().items()}


def page() -> str:
    """Write docs/results.md."""
    return "\n".join(_page())


def _schema(file: str, type_: type, name: str | None) -> dict[str, Any]:
    """Add what the type does not say: the schema's name, what is worked out from the fields, and what they mean."""
    schema = TypeAdapter(type_).json_schema(mode="serialization")
    known = {part.__name__: part for part in (*PARTS, *(described for described, _ in FILES.values()))}
    for part, definition in (*schema.get("$defs", {}).items(), (type_.__name__, schema)):
        _explain(definition, known[part])
    added = {**({"schema": {"const": name}} if name else {}), **DERIVED.get(file, {})}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "properties": {**added, **schema["properties"]},
        "required": [*added, *schema["properties"]],
        "additionalProperties": True,
    }


def _explain(definition: dict[str, Any], type_: type) -> None:
    """Take over the sentence that stands below a field in the source."""
    meanings = _sentences(type_)
    for field, described in definition.get("properties", {}).items():
        described.pop("title", None)
        if field in meanings:
            described["description"] = meanings[field]


def _sentences(type_: type) -> dict[str, str]:
    """Read the string below each name of a class."""
    (body,) = (node for node in ast.parse(textwrap.dedent(inspect.getsource(type_))).body)
    assert isinstance(body, ast.ClassDef)  # noqa: S101 - the source of a class is a class
    found: dict[str, str] = {}
    for named, below in zip(body.body, body.body[1:], strict=False):
        targets = [named.target] if isinstance(named, ast.AnnAssign) else getattr(named, "targets", [])
        if not isinstance(below, ast.Expr) or not isinstance(below.value, ast.Constant):
            continue
        for target in (target for target in targets if isinstance(target, ast.Name)):
            found[target.id] = " ".join(str(below.value.value).split())
    return found


def _page() -> Iterator[str]:
    yield HEAD
    parts: dict[str, dict[str, Any]] = {}
    for file, schema in schemas().items():
        parts.update({name: part for name, part in schema.get("$defs", {}).items() if name not in _names()})
        name = FILES[file][1]
        yield f"## {FILES[file][0].__name__}\n"
        yield f"{schema['description']} {f'`{name}`, ' if name else ''}[schemas/{file}.json](schemas/{file}.json)\n"
        yield from _table(schema)
    yield "## Parts of them\n"
    for name in sorted(parts):
        yield f"### {name}\n"
        yield f"{parts[name]['description']}\n"
        yield from _table(parts[name]) if "properties" in parts[name] else _values(name)


def _names() -> set[str]:
    return {type_.__name__ for type_, _ in FILES.values()}


def _table(schema: Mapping[str, Any]) -> Iterator[str]:
    yield "| field | is | |"
    yield "|---|---|---|"
    for field, described in schema["properties"].items():
        yield f"| `{field}` | {_kind(described)} | {described.get('description', '')} |"
    yield ""


def _values(name: str) -> Iterator[str]:
    (type_,) = (part for part in PARTS if part.__name__ == name)
    assert issubclass(type_, StrEnum)  # noqa: S101 - what has no fields has values
    meanings = _sentences(type_)
    for value in type_:
        meaning = meanings.get(value.name)
        yield f"- `{value.value}`" + (f": {meaning}" if meaning else "")
    yield ""


def _kind(described: Mapping[str, Any]) -> str:
    """Say in words what a value is."""
    if "$ref" in described:
        name = described["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "const" in described:
        return f"`{described['const']}`"
    if "anyOf" in described:
        return _either(_kind(branch) for branch in described["anyOf"])
    if described.get("type") == "array":
        return f"list of {_kind(described['items'])}"
    return str(described.get("type", "anything"))


def _either(kinds: Iterable[str]) -> str:
    return " or ".join(kinds)
