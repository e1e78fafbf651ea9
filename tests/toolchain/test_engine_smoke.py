"""The real engine with the plugins of the toolchain: pinned versions are found, and nobody warns of anything."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from toolchain import ensure, environment

PROGRAM = Path(__file__).parent / "smoke_program"
Pulumi = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.engine


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Pulumi]:
    """`pulumi` in a copy of the program, with a backend in a directory."""
    ensure(["engine"])
    program = Path(shutil.copytree(PROGRAM, tmp_path / "program"))
    backend = tmp_path / "backend"
    backend.mkdir()
    variables = {
        **os.environ,
        **environment(),
        "PULUMI_BACKEND_URL": f"file://{backend}",
        "PULUMI_CONFIG_PASSPHRASE": "smoke",
    }

    def pulumi(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["pulumi", "--non-interactive", "--color", "never", *arguments]
        return subprocess.run(command, cwd=program, env=variables, capture_output=True, text=True, check=False)

    assert pulumi("stack", "init", "smoke").returncode == 0
    yield pulumi
    pulumi("destroy", "--yes")


def test_a_program_runs_without_a_warning(engine: Pulumi) -> None:
    done = engine("up", "--yes")
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "hello from the engine" in engine("stack", "output", "greeting").stdout
    assert "warning" not in said
    assert "$PATH" not in said
    again = engine("up", "--yes", "--expect-no-changes")
    assert again.returncode == 0, again.stdout + again.stderr


def test_the_openstack_plugin_gets_as_far_as_the_cloud(engine: Pulumi) -> None:
    engine("config", "set", "cloud", "true")
    done = engine("up", "--yes")
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "127.0.0.1:9" in said
    assert "warning" not in said
