"""`nodewright`: the operations for people, and for programs that would rather start a process."""

import argparse
import math
import signal
from collections.abc import Sequence
from pathlib import Path

from lifecycle import operations, picture, scaffold, status, ticket
from lifecycle.arguments import parser, stack_of
from lifecycle.console import Console
from lifecycle.engine import interrupt
from lifecycle.errors import Exit, LifecycleError
from lifecycle.operations import PROJECT, OperationFailedError, Options
from lifecycle.picture import Picture
from lifecycle.results import Outcome, Result

INTERRUPTED = 130


def main(words: Sequence[str]) -> int:
    """Run one command; give its exit code."""
    arguments = parser().parse_args(words)
    console = Console(as_json=arguments.json)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return int(_run(arguments, console))
    except LifecycleError as error:
        console.error(error, error.result if isinstance(error, OperationFailedError) else None)
        return int(error.code)
    except KeyboardInterrupt:
        text = "interrupted: what was begun is finished or noted down; the same command again goes on from there"
        console.error(LifecycleError(Exit.FAILED, text), None)
        return INTERRUPTED


def _interrupt(number: int, frame: object) -> None:
    """End as after Ctrl-C; there the terminal tells the engine, here nobody else does."""
    interrupt()
    raise KeyboardInterrupt


def _run(arguments: argparse.Namespace, console: Console) -> Exit:
    match arguments.verb:
        case "init":
            _init(arguments, console)
            return Exit.DONE
        case "plan" | "status" | "kubeconfig" | "picture":
            return _look(arguments, console)
        case _:
            result = _operate(arguments, console)
            console.result(result)
            return Exit.REFUSED if result.outcome is Outcome.DECLINED else Exit.DONE


def _init(arguments: argparse.Namespace, console: Console) -> None:
    stack = arguments.new_stack
    path = scaffold.init(PROJECT, stack, name=arguments.name, cloud=arguments.cloud).relative_to(PROJECT)
    text = f"wrote {path}: fill in what is yours, then: nodewright create --stack {stack}\n"
    console.show({"stack": stack, "file": str(path)}, text)


def _operate(arguments: argparse.Namespace, console: Console) -> Result:
    options = Options(
        stack=stack_of(arguments, PROJECT),
        dry_run=arguments.dry_run,
        wait_s=math.inf if arguments.wait else 0.0,
        steal_lock=arguments.steal_lock,
        accept=frozenset(arguments.accept),
        confirm=lambda shown: console.confirm(shown, ask=not arguments.yes),
        on_progress=console.progress,
        on_repair=console.repair,
    )
    match arguments.verb:
        case "create":
            return operations.create(options)
        case "scale":
            return _scale(options, arguments)
        case "heal":
            return _heal(options, arguments)
        case "roll":
            return operations.roll(options, arguments.pool, arguments.generation)
        case "upgrade":
            return operations.upgrade(options, arguments.version, arguments.image)
        case _:
            return operations.destroy(options)


def _scale(options: Options, arguments: argparse.Namespace) -> Result:
    if (arguments.count is None) == (arguments.remove is None):
        text = f"scaling {arguments.pool}: give a count or --remove MACHINE, one of them"
        raise LifecycleError(Exit.USAGE, text)
    if arguments.remove is not None:
        return operations.remove(options, arguments.pool, arguments.remove)
    return operations.scale(options, arguments.pool, arguments.count)


def _heal(options: Options, arguments: argparse.Namespace) -> Result:
    if arguments.all == bool(arguments.nodes):
        raise LifecycleError(Exit.USAGE, "healing: name machines, or give --all")
    if arguments.all:
        return operations.roll(options, None, arguments.number)
    return operations.heal(options, arguments.nodes, arguments.number)


def _look(arguments: argparse.Namespace, console: Console) -> Exit:
    options = Options(stack=stack_of(arguments, PROJECT))
    match arguments.verb:
        case "plan":
            foreseen = operations.plan(options)
            console.show(foreseen.to_json(), (ticket.markdown if arguments.markdown else ticket.text)(foreseen))
            return Exit.REFUSED if foreseen.stops() else Exit.DONE
        case "status":
            found = operations.status(options)
            console.show(found.to_json(), status.text(found))
            return Exit.DONE if found.healthy else Exit.FAILED
        case "kubeconfig":
            config = operations.kubeconfig(options)
            console.show({"kubeconfig": config}, config)
        case _:
            _draw(operations.picture(options), arguments.svg, console)
    return Exit.DONE


def _draw(drawn: Picture, file: Path | None, console: Console) -> None:
    if file is None:
        console.show(drawn.to_json(), picture.text(drawn))
        return
    file.write_text(picture.svg(drawn), encoding="utf-8")
    console.show({"file": str(file)}, f"drew {file}\n")
