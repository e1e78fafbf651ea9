"""What programs read is what docs/results.md says."""

import json
from pathlib import Path
from typing import Any

import pytest

from lifecycle.results import NodeResult, Outcome, Phase, Result
from lifecycle.schemas import document, schemas
from tests.golden.tickets.cases import busy, make

DOCUMENT = Path(__file__).parents[2] / "docs" / "results.md"


def check(value: Any, schema: dict[str, Any], definitions: dict[str, Any], place: str = "") -> None:
    """Check a value against the part of JSON Schema that our schemas use."""
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        assert any(fits(value, branch, definitions) for branch in schema["anyOf"]), place
        return
    if "const" in schema:
        assert value == schema["const"], place
    if "enum" in schema:
        assert value in schema["enum"], place
    kinds: dict[str, Any] = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
    }
    if "type" in schema:
        assert isinstance(value, kinds[schema["type"]]), f"{place}: {value!r} is no {schema['type']}"
    for key in schema.get("required", ()):
        assert key in value, f"{place}.{key} is missing"
    for key, part in schema.get("properties", {}).items():
        if key in value:
            check(value[key], part, definitions, f"{place}.{key}")
    for number, item in enumerate(value) if schema.get("type") == "array" else ():
        check(item, schema.get("items", {}), definitions, f"{place}[{number}]")


def fits(value: Any, schema: dict[str, Any], definitions: dict[str, Any]) -> bool:
    try:
        check(value, schema, definitions)
    except AssertionError:
        return False
    return True


def validate(value: dict[str, Any]) -> None:
    plain = json.loads(json.dumps(value))
    schema = schemas()[plain["schema"]]
    check(plain, schema, schema.get("$defs", {}))


def test_the_document_is_written_from_the_types(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden", default=False):
        DOCUMENT.write_text(document(), encoding="utf-8")
    assert DOCUMENT.read_text(encoding="utf-8") == document(), "docs/results.md differs; run: make golden"


@pytest.mark.parametrize("name", ["create", "nothing", "heal-worker", "upgrade"])
def test_a_ticket_keeps_to_its_schema(name: str) -> None:
    validate(make(name, busy()).to_json())


def test_a_result_keeps_to_its_schema() -> None:
    phase = Phase(name="join", op="create", seconds=6.4)
    node = NodeResult(node="worker-1", action="replaced", seconds=40.0, phases=(phase,))
    for made in (None, make("heal-worker", busy())):
        validate(
            Result(
                operation="heal worker-1", stack="demo", outcome=Outcome.DONE, seconds=41.0, nodes=(node,), ticket=made
            ).to_json()
        )


def test_the_check_itself_sees_a_fault() -> None:
    broken = make("heal-worker", busy()).to_json()
    del broken["quorum"]
    with pytest.raises(AssertionError, match="quorum"):
        validate(broken)
