"""Stacks of commands: the real engine, the real SDK and the plugin as it is built from this tree."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).parent / "program"
MODULE = Path(__file__).parents[3] / "toolchain" / "modules" / "provider-command"
SDK_VERSION = "1.2.1"
PLUGIN_VERSION = f"{SDK_VERSION}+nodewright"


def call_go(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `go` in the plugin's module as the toolchain does."""
    from toolchain import cache_root, golang
    from toolchain.supply import Supply

    go = golang.find_go(Supply.usual().catalog.go, cache_root())
    environment = {**golang.environment(cache_root()), "PATH": f"{go}/bin:{os.environ['PATH']}"}
    return subprocess.run(
        [go / "bin" / "go", *arguments],
        cwd=MODULE,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def install_plugin(home: Path) -> None:
    """Put the plugin where the engine looks for it.

    It is built here and not taken from the toolchain, which prefers the official one where it can be downloaded.
    """
    directory = home / "plugins" / f"resource-command-v{SDK_VERSION}"
    directory.mkdir(parents=True)
    flags = f"-s -w -X main.version={PLUGIN_VERSION}"
    built = call_go("build", "-ldflags", flags, "-o", str(directory / "pulumi-resource-command"), ".")
    assert built.returncode == 0, built.stderr


def engine_environment() -> dict[str, str]:
    """Give the environment in which `pulumi` is the pinned engine and its Python is this one."""
    from toolchain import ensure, environment

    ensure(["pulumi"])
    merged = {**os.environ, **environment()}
    return {**merged, "PATH": f"{Path(sys.executable).parent}:{merged['PATH']}"}


@dataclass(frozen=True)
class Run:
    """What one command of the engine did."""

    ok: bool
    output: str
    seconds: float


class CommandStack:
    """One stack on a backend of its own; each `up` gives all its resources anew."""

    def __init__(self, directory: Path, environment: dict[str, str], home: Path) -> None:
        directory.mkdir()
        self._directory = directory
        self._resources: list[dict[str, Any]] = []
        self.plugin = home / "plugins" / f"resource-command-v{SDK_VERSION}" / "pulumi-resource-command"
        self._environment = {
            **environment,
            "PULUMI_HOME": str(home),
            "PULUMI_BACKEND_URL": f"file://{directory}",
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "1",
            "TEST_RESOURCES": str(directory / "resources.json"),
        }
        self._environment.pop("SSH_AUTH_SOCK", None)
        created = self._start("stack", "init", "test").communicate(timeout=120)[0]
        assert (self._directory / ".pulumi").exists(), created

    def remote(
        self, name: str, connection: dict[str, Any], options: dict[str, Any] | None = None, /, **inputs: Any
    ) -> None:
        self._declare("remote", name, {"connection": connection, **inputs}, options)

    def local(self, name: str, options: dict[str, Any] | None = None, /, **inputs: Any) -> None:
        self._declare("local", name, inputs, options)

    def copy(self, name: str, connection: dict[str, Any], kind: str = "copy", /, **inputs: Any) -> None:
        self._declare(kind, name, {"connection": connection, **inputs}, None)

    def up(self, *options: str, meanwhile: Callable[[], None] = lambda: None) -> Run:
        """Bring up what was declared since the last call, and nothing else."""
        self._write()
        return self._run("up", "--yes", "--skip-preview", "--parallel", "64", *options, meanwhile=meanwhile)

    def preview(self) -> Run:
        """Preview what was declared since the last call."""
        self._write()
        return self._run("preview")

    def preview_again(self) -> Run:
        return self._run("preview", "--expect-no-changes")

    def cancelled_up(self, when: Callable[[], bool], within_s: float) -> Run:
        """Bring up and end the engine as a user does, as soon as `when` is true."""
        self._write()
        began = time.monotonic()
        process = self._start("up", "--yes", "--skip-preview")
        while not when():
            assert time.monotonic() < began + within_s, "the command did not start"
            assert process.poll() is None, process.communicate()[0]
            time.sleep(0.1)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        output = process.communicate(timeout=60)[0]
        return Run(process.returncode == 0, output, time.monotonic() - began)

    def state(self) -> str:
        """Give the state as it lies on the disk."""
        return next(self._directory.glob(".pulumi/stacks/**/test.json")).read_text()

    def commands(self) -> set[str]:
        """Give the names of the commands in the state."""
        resources = [each["urn"].rsplit("::", 2) for each in self._state_resources()]
        return {name for _, kind, name in resources if kind.startswith("command:")}

    def outputs(self, name: str) -> dict[str, Any]:
        found = [each for each in self._state_resources() if each["urn"].endswith(f"::{name}")]
        assert len(found) == 1, f"{name}: {len(found)} in {self.commands()}"
        return dict(found[0]["outputs"])

    def stdout(self, name: str) -> str:
        return str(self.outputs(name)["stdout"])

    def _state_resources(self) -> list[dict[str, Any]]:
        return list(json.loads(self.state())["checkpoint"]["latest"].get("resources", []))

    def _declare(self, kind: str, name: str, inputs: dict[str, Any], options: dict[str, Any] | None) -> None:
        self._resources.append({"kind": kind, "name": name, "inputs": inputs, "options": options or {}})

    def _write(self) -> None:
        (self._directory / "resources.json").write_text(json.dumps(self._resources))
        self._resources = []

    def _run(self, *command: str, meanwhile: Callable[[], None] = lambda: None) -> Run:
        began = time.monotonic()
        process = self._start(*command)
        meanwhile()
        output = process.communicate(timeout=240)[0]
        return Run(process.returncode == 0, output, time.monotonic() - began)

    def _start(self, *command: str) -> subprocess.Popen[str]:
        where = [] if command[:2] == ("stack", "init") else ["--stack", "test"]
        return subprocess.Popen(
            [
                "pulumi",
                *command,
                *where,
                "--non-interactive",
                "--config-file",
                str(self._directory / "Pulumi.test.yaml"),
            ]
            if where
            else ["pulumi", *command, "--non-interactive"],
            cwd=PROGRAM,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
