"""What the engine knows of a stack, read while the engine itself may be writing it."""

from types import SimpleNamespace
from typing import Any

import pulumi
import pytest

from cluster import engine_state


class Backend:
    """Answers with each of the given values in turn; raises those that are errors."""

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)

    def invoke(self, _token: str, _arguments: dict[str, Any]) -> SimpleNamespace:
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return SimpleNamespace(value=answer)


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("get_organization", "get_project", "get_stack"):
        monkeypatch.setattr(pulumi, name, lambda: "x")
    monkeypatch.setattr(engine_state, "READ_PAUSE_S", 0)


def test_a_stack_that_is_being_written_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = Backend(Exception("failed to load checkpoint: EOF"), {"outputs": {"name": "demo"}})
    monkeypatch.setattr(pulumi.runtime, "invoke", backend.invoke)
    assert engine_state.previous_outputs() == {"name": "demo"}


def test_any_other_error_is_no_first_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulumi.runtime, "invoke", Backend(Exception("access denied")).invoke)
    with pytest.raises(Exception, match="access denied"):
        engine_state.previous_outputs()


def test_before_the_first_up_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulumi.runtime, "invoke", Backend({"outputs": {}}).invoke)
    assert engine_state.previous_outputs() == {}
