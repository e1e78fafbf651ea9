"""What the pull-request workflow may do, read from its file."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from lifecycle.pull_request import PROGRAM

ROOT = Path(__file__).parents[2]
FILE = ROOT / ".github" / "workflows" / "preview.yaml"
TEXT = FILE.read_text(encoding="utf-8")
JOBS: dict[str, Any] = yaml.safe_load(TEXT)["jobs"]
SCRIPTS = [(name, step["run"]) for name, job in JOBS.items() for step in job["steps"] if "run" in step]


def test_each_job_has_one_right_and_the_one_that_may_write_gets_no_secret() -> None:
    assert JOBS["preview"]["permissions"] == {"contents": "read"}
    assert JOBS["comment"]["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert "secrets." in yaml.safe_dump(JOBS["preview"])
    assert "secrets." not in yaml.safe_dump(JOBS["comment"])
    assert "environment" not in JOBS["comment"]


def test_the_job_that_may_write_runs_the_bases_code() -> None:
    (checkout,) = (step for step in JOBS["comment"]["steps"] if "checkout" in step.get("uses", ""))
    assert checkout["with"]["ref"] == "${{ github.event.pull_request.base.sha }}"


def test_no_script_has_words_of_the_pull_request_in_it() -> None:
    """An expression in a script is code that whoever names a branch may write; in the environment it is a value."""
    assert SCRIPTS
    assert not [script for _, script in SCRIPTS if "${{" in script]


def test_forks_get_no_secrets() -> None:
    assert "head.repo.full_name == github.repository" in JOBS["preview"]["if"]


def test_it_runs_for_everything_that_a_ticket_may_depend_on() -> None:
    paths = {path.removesuffix("**") for path in yaml.load(TEXT, yaml.BaseLoader)["on"]["pull_request"]["paths"]}
    assert set(PROGRAM) <= paths
    assert "stacks/" in paths


@pytest.mark.parametrize(("job", "script"), SCRIPTS)
def test_its_scripts_are_sound_shell(job: str, script: str) -> None:
    checked = subprocess.run(
        [ROOT / ".venv/bin/shellcheck", "--shell=bash", "-"], input=script, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, f"{job}: {checked.stdout}"


def test_the_program_of_a_job_is_there() -> None:
    called = set(re.findall(r"-m ([a-z_.]+)", "\n".join(script for _, script in SCRIPTS)))
    assert called == {"toolchain", "lifecycle.pull_request"}
    for name in called:
        place = ROOT / name.replace(".", "/")
        assert place.is_dir() or place.with_suffix(".py").is_file()
