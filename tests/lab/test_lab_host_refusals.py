"""Ending a lab that is not there, and forgetting one; each in a cache of its own."""

import pytest

from lab import paths
from tests.lab.lab_command import command

pytestmark = [pytest.mark.lab_host, pytest.mark.usefixtures("empty_cache")]


def test_down_of_a_lab_that_never_was_is_fine() -> None:
    assert command("down").returncode == 0


def test_reset_forgets_all_but_what_takes_long_to_build() -> None:
    for directory in (paths.state(), paths.run(), paths.logs()):
        (directory / "something").mkdir(parents=True)
    for built in ("root-key", "images/debian-12-key", "databases"):
        (paths.home() / built).mkdir(parents=True)
    paths.clouds_yaml().touch()
    done = command("reset")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in paths.home().iterdir()} == {"root-key", "images", "databases", "up.lock"}
