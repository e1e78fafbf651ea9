"""What the user has already: used when it fits, left alone when it does not."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from toolchain import ToolchainError, cache_root, golang, own, plugins
from toolchain.catalog import Catalog
from toolchain.shell import variables
from toolchain.supply import Supply

PINNED = Catalog.load()


@pytest.fixture
def users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home and PATH with nothing of theirs in them."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path / "pulumi"))
    return tmp_path


def put(path: Path, says: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {says}\n")
    path.chmod(0o755)


def put_engine(users: Path, version: str) -> None:
    put(users / "bin" / "pulumi", version)
    for name in own.LANGUAGE_HOST:
        put(users / "bin" / name, "")


@pytest.mark.parametrize("version", [f"v{PINNED.items['pulumi'].version}", "v3.999.0"])
def test_a_fitting_engine_is_used(users: Path, version: str) -> None:
    put_engine(users, version)
    assert own.link_own(PINNED.items["pulumi"], users / "cache", users / "out") == str(users / "bin")
    assert (users / "out" / "bin" / "pulumi").resolve() == users / "bin" / "pulumi"


@pytest.mark.parametrize("version", ["v3.100.0", "v4.0.0", "nonsense"])
def test_an_engine_of_another_version_is_left_alone_with_a_sentence(
    users: Path, version: str, capfd: pytest.CaptureFixture[str]
) -> None:
    put_engine(users, version)
    assert own.link_own(PINNED.items["pulumi"], users / "cache", users / "out") is None
    said = capfd.readouterr().err
    assert f"needed is {PINNED.items['pulumi'].version} or a newer 3.x: it is left alone" in said


def test_an_engine_without_its_language_host_is_left_alone(users: Path, capfd: pytest.CaptureFixture[str]) -> None:
    put(users / "bin" / "pulumi", "v3.999.0")
    assert own.link_own(PINNED.items["pulumi"], users / "cache", users / "out") is None
    assert "has no pulumi-language-python and no pulumi-language-python-exec beside it" in capfd.readouterr().err


def test_a_plugin_of_the_pinned_version_is_used_unless_it_is_unfinished(users: Path) -> None:
    item = PINNED.items["plugin-command"]
    directory = users / "pulumi" / "plugins" / f"resource-command-v{item.version}"
    put(directory / "pulumi-resource-command", "")
    assert own.link_own(item, users / "cache", users / "out") == str(directory)
    directory.with_name(f"{directory.name}.partial").touch()
    assert own.link_own(item, users / "cache", users / "again") is None


def test_a_plugin_stands_where_the_engine_looks_and_follows_its_item(tmp_path: Path) -> None:
    item = PINNED.items["plugin-command"]
    for content in ("old", "new"):
        put(tmp_path / content / "bin" / "pulumi-resource-command", content)
        plugins.install(item, tmp_path / content, tmp_path)
        plugins.install(item, tmp_path / content, tmp_path)
    directory = tmp_path / "pulumi" / "plugins" / f"resource-command-v{item.version}"
    assert [path.name for path in directory.iterdir()] == ["pulumi-resource-command"]
    assert "new" in (directory / "pulumi-resource-command").read_text()


def test_a_go_that_is_too_old_is_passed_over(users: Path, capfd: pytest.CaptureFixture[str]) -> None:
    put(users / "bin" / "go", "go1.19")
    put(users / "go" / "bin" / "go", "go1.99.0")
    pin = PINNED.go
    home = golang.first_fitting(pin, [users / "bin" / "go", users / "go" / "bin" / "go"])
    assert home == users / "go"
    assert f"go 1.19 at {users / 'bin' / 'go'} is passed over" in capfd.readouterr().err


def test_the_environment_names_the_missing_engine(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="the engine is not here yet; run `python3 -m toolchain ensure engine`"):
        variables(Supply(PINNED, tmp_path))


def test_the_cache_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NODEWRIGHT_CACHE", str(tmp_path))
    assert cache_root() == tmp_path
    monkeypatch.delenv("NODEWRIGHT_CACHE")
    assert cache_root() == Path("~/.cache/nodewright").expanduser()


def test_an_unknown_road_is_refused_with_the_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODEWRIGHT_TOOLCHAIN", "teleport")
    with pytest.raises(ToolchainError, match="reading NODEWRIGHT_TOOLCHAIN: teleport is none of own, download, build"):
        Supply.usual()


@pytest.mark.parametrize(("system", "kind"), [("Darwin", "x86_64"), ("Linux", "riscv64")])
def test_a_machine_that_nothing_is_made_for_is_refused(monkeypatch: pytest.MonkeyPatch, system: str, kind: str) -> None:
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: kind)
    with pytest.raises(ToolchainError, match=f"{system} on {kind}; only Linux on x86_64, aarch64 is served"):
        Catalog.load()
