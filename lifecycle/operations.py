"""The operations on a cluster: each edits the stack file, shows what that means, and carries it out.

They are calls for programs; `nodewright` is the same for people. Nothing is restored behind anybody's back: an
operation that failed says what was done, and the same call again goes on from there.
"""

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cluster.plan import ClusterPlan, PlanError
from cluster.plan import plan as make_plan
from cluster.previous import parse
from cluster.settings import ClusterSettings
from lifecycle import cloud, edits, live, repair
from lifecycle.edits import Edit
from lifecycle.engine import Engine
from lifecycle.errors import Exit, LifecycleError
from lifecycle.exports import Exports, goes_with_others, read_exports
from lifecycle.locks import hold
from lifecycle.picture import Picture, draw
from lifecycle.progress import Progress, Tracker
from lifecycle.results import Outcome, Result
from lifecycle.situation import Situation
from lifecycle.stack_file import StackFile
from lifecycle.status import Status, compare
from lifecycle.steps import Step
from lifecycle.ticket import Ticket, destruction, ticket

PROJECT = Path(__file__).resolve().parent.parent

Editor = Callable[[ClusterSettings, Exports], tuple[Edit, ...]]


@dataclass(frozen=True, kw_only=True)
class Options:
    """How an operation behaves; the defaults are those of a program."""

    stack: str
    project: Path = PROJECT
    dry_run: bool = False
    wait_s: float = 0.0
    """How long to wait for someone else's operation on the stack."""
    steal_lock: bool = False
    """Break a lock whose owner cannot be checked from here."""
    accept: frozenset[str] = frozenset()
    """Rules that may be broken, by name."""
    confirm: Callable[[Ticket], bool] = field(default=lambda _: True)
    """Is shown the ticket and says whether to go on."""
    on_progress: Callable[[Progress], None] | None = None
    on_repair: Callable[[str], object] = field(default=lambda _: None)


class OperationFailedError(LifecycleError):
    """The engine stopped in the middle; carries what was done until then."""

    def __init__(self, error: LifecycleError, text: str, result: Result) -> None:
        """Keep the kind of the failure, and what was done."""
        self.result = result
        super().__init__(error.code, text)


def create(options: Options) -> Result:
    """Build the cluster that the stack file describes, or bring an existing one to it."""
    return _change(options, "create", lambda settings, exports: (), create_stack=True)


def scale(options: Options, pool: str, count: int) -> Result:
    """Give a pool a number of machines."""
    return _change(options, f"scale {pool} {count}", lambda settings, exports: edits.scale(settings, pool, count))


def remove(options: Options, pool: str, nodes: Sequence[str]) -> Result:
    """Take chosen machines out of a pool."""
    name = f"scale {pool} --remove {' '.join(nodes)}"
    return _change(options, name, lambda settings, exports: edits.remove(settings, pool, nodes))


def heal(options: Options, nodes: Sequence[str], number: int | None = None) -> Result:
    """Replace machines; names, addresses and volumes stay."""
    name = f"heal {' '.join(nodes)}"
    return _change(options, name, lambda settings, exports: edits.heal(settings, exports, nodes, number))


def roll(options: Options, pool: str | None = None, generation: int | None = None) -> Result:
    """Replace every machine of the cluster or of a pool, in order."""
    name = f"roll {pool}" if pool else "roll"
    return _change(options, name, lambda settings, exports: edits.roll(settings, exports, pool, generation))


def upgrade(options: Options, version: str, image: str | None = None) -> Result:
    """Bring every node to a Kubernetes version, control plane first."""
    name = f"upgrade {version}"
    return _change(options, name, lambda settings, exports: edits.upgrade(settings, version, image))


def plan(options: Options) -> Ticket:
    """Say what `create` would do now."""
    file, engine = _open(options)
    return _foresee(engine, file, (), read_exports(engine.outputs(), engine.state()))[0]


def status(options: Options) -> Status:
    """Compare file, state, cloud and Kubernetes, and propose what mends."""
    file, engine = _open(options)
    state = engine.state()
    exports = read_exports(engine.outputs(), state)
    settings = file.settings()
    situation = Situation(
        settings=settings, plan=_plan(settings, exports), exports=exports, live=live.look(exports.kubeconfig)
    )
    return compare(options.stack, situation, cloud.look(file.cloud, settings.name), repair.inspect(engine, state))


def kubeconfig(options: Options) -> str:
    """Give the cluster's kubeconfig."""
    return _built(options)[1].kubeconfig or ""


def picture(options: Options) -> Picture:
    """Draw the cluster as its state has it."""
    engine, exports = _built(options)
    return draw(exports, engine.state())


def destroy(options: Options) -> Result:
    """Take the whole cluster away, volumes included."""
    file = StackFile.read(options.project, options.stack)
    name = "destroy"
    with hold(file.path, options.wait_s):
        engine = Engine.open(options.project, options.stack)
        exports, repairs = _repair(engine, file, options)
        foreseen = destruction(options.stack, engine.preview_destroy(), exports)
        known = Result(operation=name, stack=options.stack, outcome=Outcome.UNCHANGED, repairs=repairs, ticket=foreseen)
        if not foreseen.changes:
            return known
        if early := _early(known, foreseen, options):
            return early
        tracker = Tracker(exports.nodes, options.on_progress, forgotten=goes_with_others(engine.state()))
        return _carry_out(known, engine.destroy, tracker)


def _open(options: Options) -> tuple[StackFile, Engine]:
    file = StackFile.read(options.project, options.stack)
    return file, Engine.open(options.project, options.stack)


def _change(options: Options, name: str, editor: Editor, *, create_stack: bool = False) -> Result:
    # A first look, so that nothing is opened or waited for when the call itself makes no sense.
    file = StackFile.read(options.project, options.stack)
    file.apply(editor(file.settings(), Exports())).settings()
    with hold(file.path, options.wait_s):
        file = StackFile.read(options.project, options.stack)
        engine = Engine.open(options.project, options.stack, create=create_stack)
        try:
            return _change_opened(engine, file, name, editor, options)
        finally:
            if engine.is_new and options.dry_run:
                engine.forget()


def _change_opened(engine: Engine, file: StackFile, name: str, editor: Editor, options: Options) -> Result:
    exports, repairs = _repair(engine, file, options)
    edited = editor(file.settings(), exports)
    foreseen, nodes = _foresee(engine, file, edited, exports)
    known = Result(
        operation=name,
        stack=options.stack,
        outcome=Outcome.UNCHANGED,
        edits=tuple(map(str, edited)),
        repairs=repairs,
        ticket=foreseen,
    )
    if not foreseen.changes and not edited:
        return known
    if early := _early(known, foreseen, options):
        return early
    file.apply(edited).write()
    return _carry_out(known, engine.up, Tracker(nodes, options.on_progress))


def _repair(engine: Engine, file: StackFile, options: Options) -> tuple[Exports, tuple[str, ...]]:
    """Take away what a dead process left in the way, or only say it; read the stack."""
    if options.dry_run:
        state = engine.state()
        return read_exports(engine.outputs(), state), repair.inspect(engine, state)
    name = file.settings().name
    state, done = repair.repair(engine, name, file.cloud, wait_s=options.wait_s, steal_lock=options.steal_lock)
    for line in done:
        options.on_repair(line)
    return read_exports(engine.outputs(), state), done


def _foresee(engine: Engine, file: StackFile, edited: tuple[Edit, ...], exports: Exports) -> tuple[Ticket, set[str]]:
    """Say what the edits would do, before anybody's file is touched; raise when they cannot be."""
    changed = file.apply(edited)
    settings = changed.settings()
    cluster_plan = _plan(settings, exports)
    situation = Situation(settings=settings, plan=cluster_plan, exports=exports, live=live.look(exports.kubeconfig))
    foreseen = ticket(engine.name, _preview(engine, changed), situation, tuple(map(str, edited)))
    return foreseen, {*exports.nodes, *(node.key for node in cluster_plan.nodes)}


def _plan(settings: ClusterSettings, exports: Exports) -> ClusterPlan:
    try:
        return make_plan(settings, parse(exports.raw))
    except PlanError as error:
        raise LifecycleError(Exit.REFUSED, str(error)) from error


def _built(options: Options) -> tuple[Engine, Exports]:
    _, engine = _open(options)
    exports = read_exports(engine.outputs())
    if not exports.nodes:
        text = f"reading stack {options.stack}: nothing is exported yet; build it with: nodewright create"
        raise LifecycleError(Exit.NO_STACK, text)
    return engine, exports


def _preview(engine: Engine, file: StackFile) -> list[Step]:
    with tempfile.TemporaryDirectory(prefix="nodewright-") as folder:
        config = Path(folder) / file.path.name
        config.touch(mode=0o600)
        config.write_text(file.text(), encoding="utf-8")
        return engine.preview(config)


def _early(known: Result, foreseen: Ticket, options: Options) -> Result | None:
    """End here: only asked what would be, forbidden, or declined."""
    stops = foreseen.stops(options.accept)
    if options.dry_run:
        return _with(known, Outcome.PLANNED)
    if stops:
        reasons = "\n".join(f"  [{stop.rule}] {stop.text}" for stop in stops)
        rules = " ".join(f"--accept {rule}" for rule in dict.fromkeys(stop.rule for stop in stops))
        text = f"{known.operation}: refused, nothing was changed\n{reasons}\n  when that is what you want: {rules}"
        raise LifecycleError(Exit.REFUSED, text)
    if not options.confirm(foreseen):
        return _with(known, Outcome.DECLINED)
    return None


def _carry_out(known: Result, act: Callable[[str, Callable[[object], None]], None], tracker: Tracker) -> Result:
    begun = time.monotonic()
    try:
        act(f"nodewright {known.operation}", tracker.hear)
    except LifecycleError as error:
        done = _with(known, Outcome.FAILED, seconds=time.monotonic() - begun, tracker=tracker)
        raise OperationFailedError(error, _failure(known, error, tracker), done) from error
    return _with(known, Outcome.DONE, seconds=time.monotonic() - begun, tracker=tracker)


def _with(known: Result, outcome: Outcome, seconds: float = 0.0, tracker: Tracker | None = None) -> Result:
    return Result(
        operation=known.operation,
        stack=known.stack,
        outcome=outcome,
        seconds=round(seconds, 1),
        edits=known.edits,
        repairs=known.repairs,
        nodes=tracker.results() if tracker else (),
        ticket=known.ticket,
    )


def _failure(known: Result, error: LifecycleError, tracker: Tracker) -> str:
    return "\n".join(_failure_lines(known, error, tracker))


def _failure_lines(known: Result, error: LifecycleError, tracker: Tracker) -> Iterator[str]:
    where = f" at {', '.join(tracker.failures)}" if tracker.failures else ""
    yield f"{known.operation}: failed{where}"
    yield from str(error).splitlines()[1:] or [f"  {error}"]
    done = [f"{node.node} ({phase.name})" for node in tracker.results() for phase in node.phases if not phase.failed]
    yield f"  done before that: {', '.join(done) if done else 'nothing'}"
    if known.edits:
        yield f"  the stack file keeps: {'; '.join(known.edits)}"
    yield "  nothing was taken back; mend the cause and give the same command again: it goes on from here"
