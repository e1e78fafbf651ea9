"""The walls of the house: who may import and make what. A wall that is crossed is named with file and line."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SDKS = ("pulumi", "pulumi_openstack", "pulumi_command", "pulumi_kubernetes")
PROGRAM = ("__main__.py", "cluster", "components")


def python_files(*places: str) -> list[Path]:
    found = [
        file for place in places for file in ([ROOT / place] if place.endswith(".py") else (ROOT / place).rglob("*.py"))
    ]
    assert found, f"nothing was looked at in {places}"
    return found


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """Give every imported module, and every name taken from one, with its line."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.lineno, node.module
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def crossings(files: list[Path], *forbidden: str) -> list[str]:
    return [
        f"{file.relative_to(ROOT)}:{line} imports {name}"
        for file in files
        for line, name in imports(file)
        if any(name == wall or name.startswith(f"{wall}.") for wall in forbidden)
    ]


@pytest.mark.parametrize(
    "place",
    ["cluster/settings", "cluster/plan", "cluster/previous.py", "cluster/keys.py", "cluster/haproxy.py"],
)
def test_what_is_pure_knows_no_engine(place: str) -> None:
    assert crossings(python_files(place), *SDKS) == []


@pytest.mark.parametrize("place", ["cluster/settings", "cluster/plan"])
def test_what_is_pure_knows_no_clock_and_no_machine(place: str) -> None:
    assert crossings(python_files(place), "time", "datetime", "random", "os", "subprocess", "socket") == []


def test_settings_know_nothing_that_comes_after_them() -> None:
    after = ("cluster.plan", "cluster.build", "cluster.outputs", "components")
    assert crossings(python_files("cluster/settings"), *after) == []


def test_components_know_no_settings_and_no_plan() -> None:
    assert crossings(python_files("components"), "cluster", "lifecycle") == []


def test_only_one_file_reads_the_config_of_a_stack() -> None:
    readers = {
        file.name
        for file in python_files(*PROGRAM)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in {"Config", "get_config"}
    }
    assert readers == {"engine_state.py"}


def test_only_one_file_makes_remote_commands() -> None:
    makers = {file.name for file in python_files(*PROGRAM) if crossings([file], "pulumi_command")}
    assert makers == {"remote_script.py"}


def test_only_one_file_drives_the_engine() -> None:
    everything = python_files(*PROGRAM, "lifecycle", "toolchain")
    drivers = {str(file.relative_to(ROOT)) for file in everything if crossings([file], "pulumi.automation")}
    assert drivers == {"lifecycle/engine.py"}


def test_nothing_is_made_while_a_value_is_waited_for() -> None:
    """A resource inside `apply` would be missing from every preview; `pulumi.dynamic` cannot be imported."""
    assert crossings(python_files(*PROGRAM), "pulumi.dynamic") == []


def test_files_stay_small_enough_to_read() -> None:
    longest = {"components": 250, "__main__.py": 15}
    for place, most in longest.items():
        for file in python_files(place):
            assert len(file.read_text(encoding="utf-8").splitlines()) <= most, file
