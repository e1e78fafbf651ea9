"""A stack of its own on the lab, operated as a person would: `nodewright`, and a cluster that answers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable
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

    def actions(self) -> dict[str, str]:
        """What was really done to each machine."""
        return {node["node"]: node["action"] for node in self.last["nodes"] if node["node"] != "cluster"}


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

    def kill_in_the_middle(self, phase: str, *words: str) -> None:
        """Start an operation and kill it, its engine and its plugins when a phase has begun."""
        command = self.command(*words)
        with subprocess.Popen(
            command,
            cwd=self.directory,
            env=self.environment(),
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as child:
            assert child.stdout
            try:
                begun = _wait_for(child.stdout, phase)
            finally:
                # As when a machine loses power: nobody gets to tidy up, the engine and its plugins included.
                os.killpg(child.pid, signal.SIGKILL)
        assert begun, f"{phase} never began"

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


def _wait_for(lines: Iterable[str], phase: str) -> bool:
    for event in map(json.loads, lines):
        if event["event"] == "progress" and event["phase"] == phase and event["state"] == "begun":
            time.sleep(1)
            return True
    return False


def _copy(source: Path, target: Path) -> None:
    """Take the program along: it finds its project where it lies, and may be edited here while the cluster lives."""
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy2(source, target)
