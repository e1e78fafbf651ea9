"""Pulumi's engine, driven through its Automation API with the project as a local program. Nobody else drives it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pulumi import automation
from pulumi.automation.errors import CommandError, ConcurrentUpdateError, InvalidVersionError, StackNotFoundError

from lifecycle.complaints import COLOR, said
from lifecycle.errors import Exit, LifecycleError
from lifecycle.locks import Lock, read_locks
from lifecycle.steps import Step, from_event

Listener = Callable[[Any], None]

SHOWN = "--show-secrets"


def prepare_environment(project: Path) -> None:
    """Put the pinned engine and this Python first on PATH, so that the engine runs the program with it."""
    if shutil.which("pulumi") is None:
        import toolchain

        try:
            os.environ.update(toolchain.environment())
        except toolchain.ToolchainError as error:
            raise LifecycleError(Exit.USAGE, f"starting the engine: {error}") from error
    here = str(Path(sys.executable).parent)
    if os.environ.get("PATH", "").split(os.pathsep)[0] != here:
        os.environ["PATH"] = os.pathsep.join((here, os.environ.get("PATH", "")))
    if shutil.which("pulumi") is None:
        text = f"starting the engine: there is no pulumi; run in {project}: python3 -m toolchain ensure pulumi"
        raise LifecycleError(Exit.USAGE, text)


def interrupt() -> None:
    """Ask an engine that this process started to stop after the steps it is at, and to note down where it stands."""
    for tasks in Path("/proc/self/task").glob("*/children"):
        for child in tasks.read_text(encoding="utf-8").split():
            if Path(f"/proc/{child}/comm").read_text(encoding="utf-8").strip() == "pulumi":
                os.kill(int(child), signal.SIGINT)


class Engine:
    """The engine at work on one stack."""

    def __init__(self, stack: automation.Stack, project: Path, *, is_new: bool = False) -> None:
        """Take a stack that was opened."""
        self._stack = stack
        self._project = project
        self._diagnostics: list[str] = []
        self.is_new = is_new
        """Made just now; the backend did not know it."""

    @classmethod
    def open(cls, project: Path, stack: str, *, create: bool = False) -> "Engine":
        """Open a stack of the backend; with `create`, make it when it is not there."""
        prepare_environment(project)
        doing = f"opening stack {stack}"
        try:
            return cls(automation.select_stack(stack_name=stack, work_dir=str(project)), project)
        except StackNotFoundError as error:
            if not create:
                text = f"{doing}: the backend does not know it; make it with: nodewright create --stack {stack}"
                raise LifecycleError(Exit.NO_STACK, text) from error
        except (CommandError, InvalidVersionError) as error:
            raise said(doing, str(error)) from error
        try:
            return cls(automation.create_stack(stack_name=stack, work_dir=str(project)), project, is_new=True)
        except CommandError as error:
            raise said(doing, str(error)) from error

    def forget(self) -> None:
        """Take a stack that holds nothing out of the backend again; its file stays."""
        with self._saying("forgetting the stack"):
            self._stack.workspace.remove_stack(self.name, preserve_config=True)

    @property
    def name(self) -> str:
        """The stack's name."""
        return self._stack.name

    def outputs(self) -> dict[str, Any]:
        """Read what the stack exported last."""
        with self._saying("reading the exports"):
            answer = self._run("stack", "output", "--json", SHOWN)
        outputs: dict[str, Any] = json.loads(answer)
        return outputs

    def preview(self, config_file: Path) -> list[Step]:
        """Say what an `up` with this config would do."""
        steps: list[Step] = []
        with self._saying("previewing the change"):
            self._stack.preview(color="never", config_file=str(config_file), on_event=self._collector(steps))
        return steps

    def preview_destroy(self) -> list[Step]:
        """Say what a destroy would do."""
        steps: list[Step] = []
        with self._saying("previewing the destruction"):
            self._stack.preview_destroy(color="never", on_event=self._collector(steps))
        return steps

    def up(self, message: str, listener: Listener) -> None:
        """Bring the stack to what its file says."""
        with self._saying(message):
            self._stack.up(color="never", message=message, on_event=self._hearer(listener), show_secrets=False)

    def destroy(self, message: str, listener: Listener) -> None:
        """Take everything away."""
        with self._saying(message):
            self._stack.destroy(color="never", message=message, on_event=self._hearer(listener), show_secrets=False)

    def locks(self) -> tuple[Lock, ...]:
        """Name who holds the stack, where the backend is a directory; other backends tell only on `up`."""
        url = os.environ.get("PULUMI_BACKEND_URL") or self._stack.workspace.who_am_i().url or ""
        project = self._stack.workspace.project_settings().name
        return read_locks(url, project, self.name)

    def break_locks(self) -> None:
        """Take away every lock of the stack."""
        with self._saying("removing a dead process's lock"):
            self._stack.cancel()

    def state(self) -> dict[str, Any]:
        """Read the stack's state; secrets stay encrypted."""
        with self._saying("reading the state"):
            answer = self._run("stack", "export")
        state: dict[str, Any] = json.loads(answer)
        return state

    def write_state(self, state: dict[str, Any]) -> None:
        """Replace the stack's state."""
        with tempfile.TemporaryDirectory(prefix="nodewright-") as folder:
            file = Path(folder) / "state.json"
            file.touch(mode=0o600)
            file.write_text(json.dumps(state), encoding="utf-8")
            with self._saying("writing the state"):
                self._run("stack", "import", "--file", str(file))

    def set_secret(self, key: str, value: str) -> None:
        """Write a secret into the stack file; it travels on stdin, where no process list shows it."""
        command = ["pulumi", "config", "set", "--secret", "--non-interactive", "--stack", self.name, key]
        done = subprocess.run(command, cwd=self._project, input=value, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            doing = f"writing {key}"
            raise said(doing, done.stderr)

    def secret_values(self) -> set[str]:
        """Every secret of the stack's config and exports in plain, so that nobody prints one."""
        with self._saying("reading the secrets"):
            config = self._stack.get_all_config()
            masked, plain = (json.loads(self._run("stack", "output", "--json", *shown)) for shown in ([], [SHOWN]))
        found = {value.value for value in config.values() if value.secret}
        for name, value in plain.items():
            if masked[name] != value:
                found.update(_texts_in(value))
        return found

    def _run(self, *arguments: str) -> str:
        workspace = self._stack.workspace
        command = [*arguments, "--stack", self.name]
        return workspace.pulumi_command.run(command, workspace.work_dir, dict(workspace.env_vars)).stdout

    def _collector(self, steps: list[Step]) -> Listener:
        def listen(event: Any) -> None:
            if event.resource_pre_event:
                steps.append(from_event(event.resource_pre_event.metadata))

        return self._hearer(listen)

    def _hearer(self, listener: Listener) -> Listener:
        def hear(event: Any) -> None:
            diagnostic = event.diagnostic_event
            if diagnostic and diagnostic.severity == "error":
                self._diagnostics.append(COLOR.sub("", diagnostic.message).strip())
            listener(event)

        return hear

    def _saying(self, doing: str) -> "_Saying":
        self._diagnostics.clear()
        return _Saying(doing, self._diagnostics)


class _Saying:
    """Turns the engine's failures into a sentence and an exit code."""

    def __init__(self, doing: str, diagnostics: list[str]) -> None:
        self._doing = doing
        self._diagnostics = diagnostics

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ConcurrentUpdateError):
            found = re.search(r"the stack is currently locked by[^\n]*\n(?P<who>[^\n]*)", str(error))
            who = found["who"].strip() if found else "another update"
            raise LifecycleError(Exit.BUSY, f"{self._doing}: the stack is busy: {who}; wait, or use --wait") from error
        if isinstance(error, CommandError):
            told = [text for text in self._diagnostics if text and not text.startswith("update failed")]
            raise said(self._doing, "\n".join(told) or str(error)) from error


def _texts_in(value: Any) -> Iterator[str]:
    """Give every text inside of a value."""
    if isinstance(value, str):
        yield from (value, *value.split())
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts_in(item)
