"""What no pin names goes from the cache; what is pinned, and what somebody holds, stays."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path

import pytest

from tests.toolchain.toolbox import write_pins
from toolchain import cli
from toolchain.cache import MANIFEST, Manifest
from toolchain.catalog import Catalog
from toolchain.prune import prune


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog.load(write_pins(tmp_path / "pins"))


def finished(directory: Path) -> Path:
    directory.mkdir(parents=True)
    (directory / "greeter").write_bytes(bytes(3_000_000))
    manifest = Manifest("greeter", "1.0.0", "build", "source", "now", 1.0)
    (directory / MANIFEST).write_text(json.dumps(manifest.__dict__))
    return directory


def test_old_keys_and_items_of_the_past_go_and_pinned_ones_of_every_road_stay(tmp_path: Path, catalog: Catalog) -> None:
    item = catalog.items["greeter"]
    pinned = [finished(item.directory(tmp_path, road, catalog.modules)) for road in ("build", "own")]
    old = [finished(tmp_path / "toolchain" / name) for name in ("greeter/1.0.0-0123456789ab", "once/0.1-0123456789ab")]
    said = list(prune(catalog, tmp_path))
    assert [text for _, text in said] == [f"removed {directory}: 3 MB" for directory in old]
    assert [directory.exists() for directory in (*pinned, *old)] == [True, True, False, False]
    assert list(prune(catalog, tmp_path)) == []


def test_what_another_process_holds_stays_and_is_named(tmp_path: Path, catalog: Catalog) -> None:
    old = finished(tmp_path / "toolchain" / "greeter" / "0.9-0123456789ab")
    with (old.parent / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ((freed, said),) = prune(catalog, tmp_path)
    assert (freed, old.exists()) == (0, True)
    assert said.startswith(f"kept {old}: its lock is held by ")


def test_plugins_of_other_versions_go(tmp_path: Path) -> None:
    catalog = Catalog.load()
    plugins = tmp_path / "pulumi" / "plugins"
    names = [f"resource-{item.plugin}-v{item.version}" for item in catalog.items.values() if item.plugin]
    for name in (*names, "resource-openstack-v0.0.1"):
        (plugins / name).mkdir(parents=True)
    assert [text.split(":")[0] for _, text in prune(catalog, tmp_path)] == [
        f"removed {plugins}/resource-openstack-v0.0.1"
    ]
    assert sorted(path.name for path in plugins.iterdir() if path.is_dir()) == sorted(names)


def test_the_command_says_what_went_and_how_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NODEWRIGHT_CACHE", str(tmp_path))
    old = finished(tmp_path / "toolchain" / "once" / "0.1-0123456789ab")
    assert cli.main(["prune"]) == 0
    assert capsys.readouterr().out == f"removed {old}: 3 MB\n3 MB freed\n"
