"""A project of its own for each test of the lifecycle: the real program and engine, fake providers, a stack file."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from lifecycle import operations
from lifecycle.operations import Options
from tests.engine.harness import ROOT, SECRET, engine_environment
from tests.engine.shelf import Shelf

STACK = "demo"
PROGRAM = ("Pulumi.yaml", "__main__.py", "cluster", "components", "scripts", "manifests")


class Project:
    """Stands where the real project stands."""

    def __init__(self, directory: Path, cluster: Mapping[str, Any], shelf: Shelf) -> None:
        self.directory = directory
        self._shelf = shelf
        for name in PROGRAM:
            (directory / name).symlink_to(ROOT / name)
        (directory / "stacks").mkdir()
        self.file = directory / "stacks" / f"Pulumi.{STACK}.yaml"
        shelf.take(directory, STACK, {}, lambda: init_stack(directory))
        self.write(cluster)

    def stands(self, cluster: Mapping[str, Any]) -> None:
        """Be as `create` leaves this cluster."""
        self.write(cluster)
        self._shelf.take(self.directory, STACK, cluster, lambda: operations.create(self.options()))

    def write(self, cluster: Mapping[str, Any]) -> None:
        """Edit the stack file by hand."""
        yaml = YAML()
        content = yaml.load(self.file.read_text(encoding="utf-8"))
        content["config"]["nodewright:cluster"] = dict(cluster)
        with self.file.open("w", encoding="utf-8") as stream:
            yaml.dump(content, stream)

    def options(self, **changes: Any) -> Options:
        return Options(**{"stack": STACK, "project": self.directory, **changes})


def init_stack(directory: Path) -> None:
    pulumi("stack", "init", STACK, cwd=directory)
    pulumi("config", "set", "--secret", "nodewright:secret", SECRET, "--stack", STACK, cwd=directory)


def pulumi(*command: str, cwd: Path) -> str:
    done = subprocess.run(["pulumi", *command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def environment(home: Path, directory: Path) -> Iterator[None]:
    """The backend, the plugins and the passphrase of this test, and no other's."""
    before = dict(os.environ)
    os.environ.update(engine_environment())
    os.environ.update(
        PULUMI_HOME=str(home),
        PULUMI_BACKEND_URL=f"file://{directory}",
        PULUMI_CONFIG_PASSPHRASE="test",
        PULUMI_SKIP_UPDATE_CHECK="1",
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION="1",
        FAKE_PROVIDER_DIR=str(directory),
        # Nobody must reach for a real cloud from here.
        OS_CLIENT_CONFIG_FILE="/dev/null",
    )
    os.environ.pop("OS_CLOUD", None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
