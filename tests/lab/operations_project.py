"""A stack of its own on the lab, operated as a person would: `nodewright`, and a cluster that answers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lifecycle.kubernetes_api import KubernetesApi
from lifecycle.live import Live, look

ROOT = Path(__file__).parents[2]
STACK = "ops"
PROGRAM = (
    "Pulumi.yaml",
    "__main__.py",
    "cluster",
    "components",
    "scripts",
    "manifests",
    "lifecycle",
    "toolchain",
    "bin",
)


@dataclass(frozen=True)
class Run:
    """What one call of `nodewright` said and did."""

    code: int
    events: list[dict[str, Any]]
    errors: str

    @property
    def last(self) -> dict[str, Any]:
        assert self.events, self.errors
        return self.events[-1]

    @property
    def ticket(self) -> dict[str, Any]:
        return next(event for event in self.events if event.get("event") == "ticket")

    def moments(self, node: str) -> tuple[int, int]:
        """When a machine's first step began and its last one ended, as places among all events."""
        places = [place for place, event in enumerate(self.events) if event.get("node") == node]
        return places[0], places[-1]

    def actions(self) -> dict[str, str]:
        """What was really done to each machine."""
        return {node["node"]: node["action"] for node in self.last["nodes"] if node["node"] != "cluster"}


class Going:
    """A call of `nodewright` that is under way."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        self._child = child
        self._events: list[dict[str, Any]] = []
        self.pid = child.pid

    def __enter__(self) -> Going:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def wait_for(self, phase: str) -> None:
        """Read on until a phase has begun."""
        for event in self._read():
            if (event["event"], event.get("phase"), event.get("state")) == ("progress", phase, "begun"):
                return
        msg = f"{phase} never began: {self._events[-1:]}"
        raise AssertionError(msg)

    def finish(self) -> Run:
        """Read to the end."""
        for _ in self._read():
            pass
        return Run(code=self._child.wait(), events=self._events, errors="")

    def kill(self) -> None:
        """End it as a machine does that loses power: nobody gets to tidy up, the engine and its plugins included."""
        if self._child.returncode is None:
            os.killpg(self._child.pid, signal.SIGKILL)
        assert self._child.stdout
        self._child.stdout.close()
        self._child.wait()

    def _read(self) -> Iterator[dict[str, Any]]:
        assert self._child.stdout
        for line in self._child.stdout:
            self._events.append(json.loads(line))
            yield self._events[-1]


class OperatedCluster:
    """The lab's own stack, with another name and other addresses."""

    def __init__(self, directory: Path, name: str = STACK, cidr: str = "10.61.0.0/24") -> None:
        self.directory = directory
        self.name = name
        for part in PROGRAM:
            _copy(ROOT / part, directory / part)
        (directory / ".venv").symlink_to(ROOT / ".venv")
        (directory / "stacks").mkdir()
        self.file = directory / "stacks" / f"Pulumi.{name}.yaml"
        text = (ROOT / "stacks" / "Pulumi.lab.yaml").read_text(encoding="utf-8")
        text = text.replace("\n    name: lab\n", f"\n    name: {name}\n").replace("cidr: 10.20.0.0/24", f"cidr: {cidr}")
        self.file.write_text(text.replace("count: 2, image", "count: 1, image"), encoding="utf-8")
        (directory / "backend").mkdir()

    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PULUMI_BACKEND_URL": f"file://{self.directory / 'backend'}",
            "PULUMI_CONFIG_PASSPHRASE": "lab",
            "NODEWRIGHT_STACK": self.name,
            "PYTHONPATH": str(self.directory),
        }

    def command(self, *words: str) -> list[str]:
        return [str(ROOT / ".venv/bin/python"), "-m", "lifecycle", *words, "--json"]

    def run(self, *words: str) -> Run:
        done = subprocess.run(
            self.command(*words),
            cwd=self.directory,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        return Run(
            code=done.returncode, events=[json.loads(line) for line in done.stdout.splitlines()], errors=done.stderr
        )

    def start(self, *words: str) -> Going:
        """Start an operation and leave it to itself."""
        child = subprocess.Popen(
            self.command(*words),
            cwd=self.directory,
            env=self.environment(),
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        return Going(child)

    def kill_in_the_middle(self, phase: str, *words: str) -> None:
        """Start an operation and kill it, its engine and its plugins when a phase has begun."""
        with self.start(*words) as going:
            going.wait_for(phase)
            time.sleep(1)
            going.kill()

    def edit(self, old: str, new: str) -> None:
        """Change the stack file by hand."""
        text = self.file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old} stands {text.count(old)} times in the file"
        self.file.write_text(text.replace(old, new), encoding="utf-8")

    def pulumi(self, *words: str) -> str:
        """Ask the engine itself."""
        command = ["pulumi", *words, "--stack", self.name]
        done = subprocess.run(
            command, cwd=self.directory, env=self.environment(), capture_output=True, text=True, check=True
        )
        return done.stdout

    def kubeconfig(self) -> str:
        return str(self.run("kubeconfig").last["kubeconfig"])

    def live(self) -> Live:
        return look(self.kubeconfig())

    def api(self) -> KubernetesApi:
        return KubernetesApi(self.kubeconfig())

    def apply(self, manifest: str) -> None:
        """Put something into the cluster."""
        config = self.directory / "kubeconfig"
        config.touch(mode=0o600)
        config.write_text(self.kubeconfig(), encoding="utf-8")
        command = ["kubectl", "--kubeconfig", str(config), "apply", "-f", "-"]
        subprocess.run(command, input=manifest, text=True, check=True, capture_output=True, env=self.environment())


def _copy(source: Path, target: Path) -> None:
    """Take the program along: it finds its project where it lies, and may be edited here while the cluster lives."""
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy2(source, target)
