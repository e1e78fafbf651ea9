"""What every script promises by its text alone."""

import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from components.remote_script import SCRIPTS, read_script
from tests.scripts.rendering import PARTS, STEPS

EVERY_FILE = [*STEPS, *PARTS, SCRIPTS / "lib.sh"]
HEADER = ["What", "Needs", "Changes", "Again", "Undo"]


def name(path: Path) -> str:
    return path.stem


def tool(command: str) -> str:
    return f"{sysconfig.get_path('scripts')}/{command}"


def test_there_are_steps() -> None:
    assert len(STEPS) >= 12


@pytest.mark.parametrize("path", STEPS, ids=name)
def test_header_says_what_needs_changes_again_undo(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert lines[0] == "#!/bin/bash"
    assert [line.removeprefix("# ").split(":")[0] for line in lines[1:6]] == HEADER


@pytest.mark.parametrize("path", STEPS, ids=name)
def test_ends_with_main_that_reads_nothing_of_the_script(path: Path) -> None:
    assert path.read_text().endswith("\nmain </dev/null\n")


@pytest.mark.parametrize("path", STEPS, ids=name)
def test_header_names_every_variable_that_is_required(path: Path) -> None:
    text = path.read_text()
    required = set(re.findall(r'"\$\{([A-Z_]+):\?\}"', text))
    assert required
    assert required <= set(re.findall(r"[A-Z_]{4,}", text.splitlines()[2]))


@pytest.mark.parametrize("path", EVERY_FILE, ids=name)
def test_holds_no_address_and_does_not_trace(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"\b(?!127\.0\.0\.1)\d+\.\d+\.\d+\.\d+\b", text)
    assert not re.search(r"set -\w*x|xtrace", text)


@pytest.mark.parametrize("path", EVERY_FILE, ids=name)
def test_errors_are_swallowed_only_with_a_reason(path: Path) -> None:
    for line in path.read_text().splitlines():
        if re.search(r"\|\| (true|:)(\s|$)", line):
            assert "#" in line, line


@pytest.mark.parametrize("path", STEPS, ids=name)
def test_waits_for_something_never_for_time(path: Path) -> None:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if re.search(r"^\s*sleep ", line):
            before = "\n".join(path.read_text().splitlines()[max(0, number - 5) : number])
            assert "for " in before, f"line {number}: {line}"


def test_every_part_that_is_asked_for_is_there_and_filled_in() -> None:
    for path in STEPS:
        assert not re.search(r"^(\.|source) ", read_script(path.stem), re.MULTILINE), path.name
    asked = set(re.findall(r"^\. parts/(.*)\.sh$", "\n".join(path.read_text() for path in STEPS), re.MULTILINE))
    assert asked == {path.stem for path in PARTS}


def test_shellcheck_finds_nothing() -> None:
    found = subprocess.run(
        [tool("shellcheck"), "-x", *map(str, EVERY_FILE)], capture_output=True, text=True, check=False
    )
    assert found.stdout == ""
    assert found.returncode == 0


def test_shfmt_would_change_nothing() -> None:
    found = subprocess.run(
        [tool("shfmt"), "-i", "2", "-ci", "-d", *map(str, EVERY_FILE)], capture_output=True, text=True, check=False
    )
    assert found.stdout == ""
    assert found.returncode == 0
