"""The command line: exit codes, sentences, and JSON that a program can read."""

import json
from pathlib import Path

import pytest

from lifecycle import cli, operations
from lifecycle.arguments import parser
from lifecycle.errors import Exit, LifecycleError
from lifecycle.operations import OperationFailedError, Options
from lifecycle.progress import Progress
from lifecycle.results import Outcome, Result
from lifecycle.scaffold import fill_in
from tests.golden.tickets.cases import make

EXAMPLE = Path(__file__).parents[2] / "stacks" / "small.example.yaml"


def result(outcome: Outcome = Outcome.DONE) -> Result:
    return Result(operation="heal worker-1", stack="lab", outcome=outcome, ticket=make("heal-worker"))


def run(*words: str) -> int:
    return cli.main([*words, "--stack", "lab"])


@pytest.fixture
def heals(monkeypatch: pytest.MonkeyPatch) -> list[Options]:
    seen: list[Options] = []

    def heal(options: Options, nodes: list[str], number: int | None = None) -> Result:
        seen.append(options)
        if not options.confirm(make("heal-worker")):
            return result(Outcome.DECLINED)
        options.on_repair("removed the lock of process 7, which is gone")
        assert options.on_progress
        options.on_progress(Progress(node="worker-1", phase="join", state="begun", seconds=0))
        options.on_progress(Progress(node="worker-1", phase="join", state="done", seconds=6.4))
        return result()

    monkeypatch.setattr(operations, "heal", heal)
    return seen


def test_a_person_reads_the_ticket_the_phases_and_the_result(
    heals: list[Options], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("heal", "worker-1", "--yes") == Exit.DONE
    told = capsys.readouterr().out
    assert "worker-1  replaced  heal 0 → 1" in told
    assert "repaired: removed the lock of process 7" in told
    assert "join  6.4 s" in told
    assert "heal worker-1: done" in told


def test_a_program_reads_an_event_a_line_and_the_result_last(
    heals: list[Options], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("heal", "worker-1", "--yes", "--json") == Exit.DONE
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["event"] for event in events] == ["ticket", "repair", "progress", "progress", "result"]
    assert events[-1]["outcome"] == "done"


def test_without_anybody_to_ask_nothing_is_done(heals: list[Options], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert run("heal", "worker-1") == Exit.REFUSED


@pytest.mark.parametrize(("answer", "code"), [("y\n", Exit.DONE), ("no\n", Exit.REFUSED), ("", Exit.REFUSED)])
def test_a_person_is_asked(heals: list[Options], monkeypatch: pytest.MonkeyPatch, answer: str, code: Exit) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return answer

    monkeypatch.setattr("sys.stdin", Terminal())
    assert run("heal", "worker-1") == code


def test_options_reach_the_operation(heals: list[Options]) -> None:
    run("heal", "worker-1", "--yes", "--dry-run", "--wait", "--steal-lock", "--accept", "quorum", "--accept", "address")
    (options,) = heals
    assert options.dry_run
    assert options.steal_lock
    assert options.wait_s == float("inf")
    assert options.accept == {"quorum", "address"}


@pytest.mark.parametrize("code", [Exit.USAGE, Exit.REFUSED, Exit.FAILED, Exit.BUSY, Exit.NO_STACK, Exit.NO_ACCESS])
def test_every_kind_of_failure_has_its_exit_code(
    code: Exit, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(options: Options) -> Result:
        raise LifecycleError(code, "creating: this is why")

    monkeypatch.setattr(operations, "create", fail)
    assert run("create", "--yes") == code
    assert capsys.readouterr().err == "creating: this is why\n"


def test_a_program_learns_what_was_done_before_the_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(options: Options) -> Result:
        raise OperationFailedError(
            LifecycleError(Exit.FAILED, "x"), "create: failed at worker-1: join", result(Outcome.FAILED)
        )

    monkeypatch.setattr(operations, "create", fail)
    assert run("create", "--json") == Exit.FAILED
    told = json.loads(capsys.readouterr().out)
    assert (told["event"], told["kind"], told["result"]["outcome"]) == ("error", "FAILED", "failed")


def test_an_interruption_says_that_the_same_command_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(options: Options) -> Result:
        raise KeyboardInterrupt

    monkeypatch.setattr(operations, "create", interrupt)
    assert run("create") == cli.INTERRUPTED
    assert "same command again" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [("scale", "worker"), ("scale", "worker", "3", "--remove", "worker-1"), ("heal",), ("heal", "worker-1", "--all")],
)
def test_a_call_that_says_too_little_or_too_much_is_a_fault(words: tuple[str, ...]) -> None:
    assert run(*words) == Exit.USAGE


@pytest.mark.parametrize("words", [(), ("scale", "worker", "many"), ("fly",), ("heal", "--number", "x")])
def test_words_that_are_not_understood_end_with_the_usage_code(words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as raised:
        parser().parse_args(list(words))
    assert raised.value.code == Exit.USAGE


def test_which_stack_is_meant_must_be_said_where_there_are_several(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("NODEWRIGHT_STACK", raising=False)
    assert cli.main(["plan"]) == Exit.USAGE
    assert "stacks with a file" in capsys.readouterr().err


def test_an_unknown_stack_a_wrong_pool_and_an_impossible_count_change_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["heal", "worker-0", "--stack", "nowhere"]) == Exit.NO_STACK
    assert run("scale", "workre", "3") == Exit.USAGE
    assert run("scale", "control-plane", "2") == Exit.USAGE
    assert run("heal", "worker-77") == Exit.USAGE
    told = capsys.readouterr().err
    for part in ("there is no Pulumi.nowhere.yaml", "did you mean worker?", "give 1, 3 or 5", "no machine worker-77"):
        assert part in told


def test_a_scaffold_is_the_example_with_what_is_known_filled_in() -> None:
    made = fill_in(EXAMPLE.read_text(encoding="utf-8"), name="mine", cloud="ours")
    assert "openstack:cloud: ours" in made
    assert "    name: mine\n" in made
    assert made.splitlines()[1] == "config:"
    assert "pulumi stack init" not in made
