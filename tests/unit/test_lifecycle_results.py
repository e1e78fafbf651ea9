"""What programs read is what docs/results.md says."""

import json
from pathlib import Path
from typing import Any

import pytest

from lifecycle.exports import read_exports
from lifecycle.picture import draw
from lifecycle.progress import Progress
from lifecycle.results import Failure, NodeResult, Outcome, Phase, Result
from lifecycle.schemas import files, page, schemas
from lifecycle.status.model import NodeStatus, Proposal, Status
from tests.golden.tickets.cases import busy, make

DOCS = Path(__file__).parents[2] / "docs"
TICKETS = Path(__file__).parents[1] / "golden" / "tickets"


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


def validate(value: dict[str, Any], file: str) -> None:
    plain = json.loads(json.dumps(value))
    schema = schemas()[file]
    assert plain.get("schema") == schema["properties"].get("schema", {}).get("const")
    check(plain, schema, schema.get("$defs", {}))


def result(**changes: Any) -> Result:
    phase = Phase(name="join", op="create", seconds=6.4)
    node = NodeResult(node="worker-1", action="replaced", seconds=40.0, phases=(phase,))
    known = {"operation": "heal worker-1", "stack": "demo", "outcome": Outcome.DONE, "seconds": 41.0, "nodes": (node,)}
    return Result(**{**known, **changes})


def test_page_and_schemas_are_written_from_the_types(request: pytest.FixtureRequest) -> None:
    written = {DOCS / "results.md": page(), **{DOCS / "schemas" / name: text for name, text in files().items()}}
    if request.config.getoption("--update-golden", default=False):
        (DOCS / "schemas").mkdir(exist_ok=True)
        for path, text in written.items():
            path.write_text(text, encoding="utf-8")
    for path, text in written.items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} differs; run: make golden"
    assert {path.name for path in (DOCS / "schemas").iterdir()} == set(files())


def test_every_field_that_its_name_does_not_explain_is_explained() -> None:
    meanings = {field: part.get("description") for field, part in schemas()["result"]["properties"].items()}
    assert meanings["repairs"] == "What an earlier, interrupted operation had left, and what was done about it."


@pytest.mark.parametrize("name", ["create", "nothing", "heal-worker", "upgrade"])
def test_a_ticket_keeps_to_its_schema(name: str) -> None:
    validate(make(name, busy()).to_json(), "ticket")


def test_a_result_keeps_to_its_schema() -> None:
    for made in (None, make("heal-worker", busy())):
        validate(result(ticket=made).to_json(), "result")


def test_progress_and_failures_keep_to_their_schemas() -> None:
    validate(vars(Progress(node="worker-1", phase="join", state="done", seconds=6.4)), "progress")
    for done in (None, result(outcome=Outcome.FAILED)):
        validate(Failure(code=4, kind="FAILED", text="heal worker-1: failed", result=done).to_json(), "error")


def test_a_status_keeps_to_its_schema() -> None:
    node = NodeStatus(
        node="worker-1", role="worker", address="10.20.0.7", incarnation="i", server="gone", kubernetes="NotReady"
    )
    mended = Proposal(command="nodewright heal worker-1", edits=("workers.worker.heal.worker-1: not set → 1",))
    status = Status(
        stack="demo",
        cluster="demo",
        endpoint="172.24.4.9:6443",
        nodes=(node,),
        strangers=(),
        interrupted=(),
        proposals=(mended,),
        unknown=(),
    )
    validate(status.to_json(), "status")


def test_a_picture_keeps_to_its_schema() -> None:
    outputs = json.loads((TICKETS / "heal-worker.json").read_text(encoding="utf-8"))["outputs"]
    validate(draw(read_exports(outputs), {}).to_json(), "picture")


def test_the_check_itself_sees_a_fault() -> None:
    broken = make("heal-worker", busy()).to_json()
    del broken["quorum"]
    with pytest.raises(AssertionError, match="quorum"):
        validate(broken, "ticket")
