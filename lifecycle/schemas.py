"""The JSON that programs get, described: docs/results.md is written from the types themselves."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from lifecycle.picture import Picture
from lifecycle.picture.model import SCHEMA as PICTURE
from lifecycle.progress import Progress
from lifecycle.results import SCHEMA as RESULT
from lifecycle.results import Result
from lifecycle.status import Status
from lifecycle.status.model import SCHEMA as STATUS
from lifecycle.ticket import Ticket
from lifecycle.ticket.model import SCHEMA as TICKET

HEAD = """\
# Results

What `nodewright --json` prints and what the calls of `lifecycle.operations` return. Written from the types;
`make golden` writes it anew.

Verbs that change something print one JSON object a line, each with an `event`: `repair`, `ticket`, `progress`, and
last `result` or `error`. Verbs that only look print one object. A `schema` changes its number when a field changes its
meaning or goes; fields may be added.

An `error` has `code` (the exit code), `kind` (its name), `text` (what was being done, what was found, what to do) and
`result`: what was done until then, or `null`.
"""
DERIVED: Mapping[str, Mapping[str, Any]] = {
    TICKET: {"changes": {"type": "boolean", "description": "Whether anything would happen."}},
    STATUS: {"healthy": {"type": "boolean", "description": "Whether nothing is broken, as far as could be seen."}},
}


def schemas() -> dict[str, dict[str, Any]]:
    """Give the JSON schema of everything that is printed, by its name."""
    types = {RESULT: Result, TICKET: Ticket, STATUS: Status, PICTURE: Picture}
    return {
        name: _described(name, TypeAdapter(type_).json_schema(mode="serialization")) for name, type_ in types.items()
    }


def document() -> str:
    """Write docs/results.md."""
    parts = [HEAD]
    for name, schema in schemas().items():
        parts.append(f"\n## `{name}`\n\n```json\n{json.dumps(schema, indent=1)}\n```\n")
    progress = TypeAdapter(Progress).json_schema(mode="serialization")
    parts.append(f"\n## `progress` events\n\n```json\n{json.dumps(progress, indent=1)}\n```\n")
    return "".join(parts)


def _described(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Add what is not a field of the type: the schema's name, and what is worked out from the fields."""
    added = {"schema": {"const": name}, **DERIVED.get(name, {})}
    return {
        **schema,
        "properties": {**added, **schema["properties"]},
        "required": [*added, *schema["properties"]],
        "additionalProperties": True,
    }
