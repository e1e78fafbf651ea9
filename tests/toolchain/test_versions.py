"""The pins fit together: with their modules, with the Go that builds them, with the SDKs."""

from __future__ import annotations

import re
from importlib.metadata import version

import pytest

from toolchain.catalog import Catalog, Item

PINNED = Catalog.load()
ITEMS = list(PINNED.items.values())
BUILDS = [build for item in ITEMS for build in item.builds]


def numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


@pytest.mark.parametrize("module", sorted({build.module for build in BUILDS}))
def test_a_module_is_built_by_every_go_that_is_accepted(module: str) -> None:
    text = (PINNED.modules / module / "go.mod").read_text()
    needed = re.search(r"^go (\S+)$", text, re.MULTILINE)
    assert needed is not None
    assert numbers(needed.group(1)) <= numbers(PINNED.go.minimum) <= numbers(PINNED.go.version)


@pytest.mark.parametrize("module", sorted({build.module for build in BUILDS}))
def test_a_module_that_requires_others_has_their_checksums(module: str) -> None:
    directory = PINNED.modules / module
    if "require" in (directory / "go.mod").read_text():
        assert (directory / "go.sum").stat().st_size > 0


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_both_roads_give_the_same_files(item: Item) -> None:
    downloaded = {target for download in item.downloads for target in download.take.values()}
    always = {f"bin/{name}" for build in item.builds if build.always for name in build.packages.values()}
    built = {f"bin/{name}" for build in item.builds for name in [*build.packages.values(), *build.copy.values()]}
    assert downloaded | always == built


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_every_release_has_a_checksum_and_its_version_in_its_address(item: Item) -> None:
    for download in item.downloads:
        assert download.url.startswith("https://")
        assert re.match(r"https://|github:|sha256:[0-9a-f]{64}$", download.checksum)
        assert "{" not in f"{download.url}{download.checksum}"


@pytest.mark.parametrize("name", ["kubernetes", "openstack", "command"])
def test_a_plugin_has_the_version_of_its_sdk(name: str) -> None:
    assert PINNED.items[f"plugin-{name}"].version == version(f"pulumi-{name}")


def test_every_item_is_in_a_set() -> None:
    members = {member for names in PINNED.sets.values() for member in names} - PINNED.sets.keys()
    assert members == PINNED.items.keys()


def test_the_longest_build_comes_first() -> None:
    seconds = [item.seconds for item in PINNED.select(["all", "upgrade"])]
    assert seconds == sorted(seconds, reverse=True)


def test_a_key_changes_with_version_flags_and_road() -> None:
    one, other = PINNED.items["kubernetes-1.34.3"], PINNED.items["kubernetes-1.34.5"]
    keys = {item.key(road, PINNED.modules) for item in (one, other) for road in ("own", "download", "build")}
    assert len(keys) == 6
