"""A registry out of an image archive on the real engine: copied, unpacked, served, and again when something changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.clusters import cluster
from tests.engine.harness import ROOT, Stack
from tests.image_archives import write_oci_archive

pytestmark = pytest.mark.engine

COPY, UNPACK, CONFIGURE = "CopyToRemote registry-archive", "registry-unpack", "registry-configure"
Archive = Callable[[bytes], None]


def with_archive(path: Path, **changes: Any) -> dict[str, Any]:
    registry = {"flavor": "m1.small", "volume-gib": 5, "archive": str(path.relative_to(ROOT)), **changes}
    return cluster(registry=registry)


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """A file inside of the project, where a stack may name it."""
    path = ROOT / "tests" / "engine" / f"{tmp_path.name}.tar"
    yield path
    path.unlink(missing_ok=True)


def save(path: Path, program: bytes, *, more: bytes = b"") -> None:
    write_oci_archive(path, {"linux/amd64": [{"bin/registry": program, "etc/more": more}]})


@pytest.fixture
def running(stack: Stack, path: Path) -> Stack:
    save(path, b"first")
    run = stack.up(with_archive(path))
    assert run.ok, run.output
    assert run.in_order("create registry-prepare", f"create {COPY}", f"create {UNPACK}", f"create {CONFIGURE}")
    assert "REGISTRY_FROM_ARCHIVE" in run.find("create registry-prepare").inputs["stdin"]
    return stack


def test_a_second_up_changes_nothing_and_the_state_is_the_same_for_everybody(running: Stack, path: Path) -> None:
    again = running.up(with_archive(path))
    assert again.ok, again.output
    assert again.steps == []
    assert str(ROOT / "tests") not in running.state()


def test_another_program_is_copied_unpacked_and_served(running: Stack, path: Path) -> None:
    save(path, b"second")
    run = running.up(with_archive(path))
    assert run.ok, run.output
    assert run.steps == [f"update {COPY}", f"update {UNPACK}", f"update {CONFIGURE}"]


def test_the_same_program_in_another_archive_restarts_nothing(running: Stack, path: Path) -> None:
    save(path, b"first", more=b"and a word")
    run = running.up(with_archive(path))
    assert run.ok, run.output
    assert run.steps == [f"update {COPY}", f"update {UNPACK}"]


def test_heal_copies_and_unpacks_again(running: Stack, path: Path) -> None:
    run = running.up(with_archive(path, heal={"registry": 1}))
    assert run.ok, run.output
    assert run.in_order("create Instance registry", f"create {COPY}", f"create {UNPACK}", f"create {CONFIGURE}")
    assert {name.split("-")[0] for name in run.touched()} == {"registry"}


def test_a_stack_whose_archive_is_gone_can_be_destroyed(running: Stack, path: Path) -> None:
    path.unlink()
    refused = running.preview(with_archive(path))
    assert not refused.ok
    assert "registry.archive" in refused.output
    destroyed = running.destroy()
    assert destroyed.ok, destroyed.output
