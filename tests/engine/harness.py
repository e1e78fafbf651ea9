"""The real engine runs the real program; only the providers are fakes, so a whole life of a cluster takes seconds."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.engine.shelf import Shelf

ROOT = Path(__file__).parent.parent.parent
FAKE_PROVIDER = Path(__file__).parent / "fake_provider.py"
SECRET = "not-a-secret-but-long-enough-for-one"


@dataclass(frozen=True)
class Call:
    """Something a provider was really asked to do."""

    step: str
    """`create worker-0-join` for a command, `delete Instance worker-0` for everything else."""
    began: float
    ended: float
    failed: bool
    inputs: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.step.rsplit(" ", 1)[1]


@dataclass(frozen=True)
class Run:
    """What one command of the engine did."""

    ok: bool
    output: str
    calls: list[Call] = field(default_factory=list)

    def find(self, step: str) -> Call:
        found = [call for call in self.calls if call.step == step]
        assert len(found) == 1, f"{step}: {len(found)} calls among {self.steps}\n{self.output}"
        return found[0]

    @property
    def steps(self) -> list[str]:
        return [call.step for call in self.calls]

    def touched(self) -> set[str]:
        return {call.name for call in self.calls}

    def in_order(self, *steps: str) -> bool:
        """Tell whether each step had ended before the next one began."""
        calls = [self.find(step) for step in steps]
        return all(first.ended <= second.began for first, second in zip(calls, calls[1:], strict=False))

    def most_at_once(self, spans: Mapping[str, tuple[str, str]]) -> int:
        """Count how many of the spans, each from the begin of one step to the end of another, overlapped at most."""
        edges = []
        for first, last in spans.values():
            edges += [(self.find(first).began, 1), (self.find(last).ended, -1)]
        highest = now = 0
        for _, step in sorted(edges):
            now += step
            highest = max(highest, now)
        return highest


class Stack:
    """One stack on a backend of its own, whose config a test sets as a whole."""

    def __init__(self, directory: Path, plugins: Path, environment: Mapping[str, str], shelf: Shelf) -> None:
        self._directory = directory
        self._shelf = shelf
        # The program is the project's own; the stack file must not be beside those of real stacks.
        project = yaml.safe_load((ROOT / "Pulumi.yaml").read_text())
        del project["stackConfigDir"], project["runtime"]["options"]
        (directory / "Pulumi.yaml").write_text(yaml.safe_dump({**project, "main": str(ROOT)}))
        self._config = directory / "Pulumi.test.yaml"
        self._environment = {
            **environment,
            "PULUMI_HOME": str(plugins),
            "PULUMI_BACKEND_URL": f"file://{directory}",
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "1",
            "FAKE_PROVIDER_DIR": str(directory),
        }
        shelf.take(directory, "test", {}, self._init)

    def stands(self, cluster: Mapping[str, Any]) -> None:
        """Be as an `up` of this cluster leaves a stack."""
        self._shelf.take(self._directory, "test", cluster, lambda: self._must_up(cluster))

    def up(self, cluster: Mapping[str, Any], *options: str) -> Run:
        self._write(cluster)
        return self._run("up", "--yes", "--skip-preview", "--parallel", "64", *options)

    def preview(self, cluster: Mapping[str, Any], *options: str) -> Run:
        self._write(cluster)
        return self._run("preview", "--diff", *options)

    def destroy(self) -> Run:
        return self._run("destroy", "--yes", "--skip-preview")

    def let_meet(self, meetings: Mapping[str, int]) -> None:
        """Let steps that match a pattern wait until so many of them run at once; they fail if they never do."""
        (self._directory / "meetings.json").write_text(json.dumps(dict(meetings)))

    def break_steps(self, *steps: str, half_made: bool = False) -> None:
        """Make these steps fail from now on; without any, mend all. What is half made is there, and no good."""
        (self._directory / "faults").write_text("\n".join(f"{'half made: ' * half_made}{step}" for step in steps))

    def taint(self, name: str) -> None:
        """Say that a resource is worth nothing, as a person does."""
        (urn,) = (
            line
            for line in self._pulumi("stack", "--show-urns", "--stack", "test").split()
            if line.endswith(f"::{name}")
        )
        self._pulumi("state", "taint", urn, "--yes", "--stack", "test")

    def outputs(self) -> dict[str, Any]:
        return dict(json.loads(self._pulumi("stack", "output", "--json", "--show-secrets", "--stack", "test")))

    def state(self) -> str:
        return self._pulumi("stack", "export", "--stack", "test")

    def _init(self) -> None:
        self._pulumi("stack", "init", "test")
        self._pulumi("config", "set", "--secret", "nodewright:secret", SECRET, "--stack", "test")

    def _must_up(self, cluster: Mapping[str, Any]) -> None:
        run = self.up(cluster)
        assert run.ok, run.output

    def _write(self, cluster: Mapping[str, Any]) -> None:
        content = yaml.safe_load(self._config.read_text())
        content["config"]["nodewright:cluster"] = dict(cluster)
        self._config.write_text(yaml.safe_dump(content))

    def _run(self, *command: str) -> Run:
        journal = self._directory / "journal.jsonl"
        journal.unlink(missing_ok=True)
        done = self._call(*command, "--non-interactive", "--stack", "test")
        lines = journal.read_text().splitlines() if journal.exists() else []
        calls = sorted((Call(**json.loads(line)) for line in lines), key=lambda call: call.began)
        return Run(ok=done.returncode == 0, output=done.stdout + done.stderr, calls=calls)

    def _pulumi(self, *command: str) -> str:
        done = self._call(*command)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def _call(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["pulumi", *command],
            check=False,
            cwd=self._directory,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=300,
        )


def install_fakes(home: Path) -> None:
    """Put the fake provider where the engine looks for the real ones."""
    for package in ("openstack", "command", "kubernetes"):
        version = subprocess.run(
            [sys.executable, "-c", f"from importlib.metadata import version; print(version('pulumi-{package}'))"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        directory = home / "plugins" / f"resource-{package}-v{version}"
        directory.mkdir(parents=True)
        plugin = directory / f"pulumi-resource-{package}"
        plugin.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE_PROVIDER} {package} "$@"\n')
        plugin.chmod(plugin.stat().st_mode | stat.S_IXUSR)


def engine_environment() -> dict[str, str]:
    """Give the environment in which `pulumi` is the pinned engine, and its Python is this one."""
    if shutil.which("pulumi"):
        pinned: Mapping[str, str] = {}
    else:
        from toolchain import environment

        pinned = environment()
    merged = {**os.environ, **pinned}
    return {**merged, "PATH": f"{Path(sys.executable).parent}:{merged['PATH']}"}
