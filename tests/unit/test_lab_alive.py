"""Two labs on one machine never take each other for themselves."""

import os
import pwd
from pathlib import Path

import pytest

from lab import alive

USUAL = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache" / "nodewright"


def name_in(cache: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("NODEWRIGHT_CACHE", str(cache))
    return alive.name()


def test_the_lab_in_the_usual_cache_has_the_usual_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert name_in(USUAL, monkeypatch) == alive.USUAL_NAME


def test_labs_in_two_caches_have_two_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = {name_in(cache, monkeypatch) for cache in (USUAL, tmp_path / "a", tmp_path / "b")}
    assert len(names) == 3


def test_a_lab_below_another_home_has_another_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert name_in(tmp_path / ".cache" / "nodewright", monkeypatch) != alive.USUAL_NAME
