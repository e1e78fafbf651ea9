"""The road of official releases, from a web server on this machine that can be spoilt."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.toolchain.toolbox import Site, archive, serving, supply
from toolchain import ToolchainError, fetch
from toolchain.cache import Manifest


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A release site; nobody waits between tries."""
    monkeypatch.setattr(fetch, "PAUSE_S", 0.01)
    with serving() as running:
        yield running


def road_of(directory: Path) -> str:
    manifest = Manifest.read(directory)
    assert manifest is not None
    return manifest.road


def test_a_release_is_downloaded_and_its_source_noted(tmp_path: Path, site: Site) -> None:
    directory = supply(tmp_path, site.pins(), road="").ensure([])["greeter"]
    said = subprocess.run([directory / "bin" / "greeter"], capture_output=True, text=True, check=True)
    assert said.stdout == "greeter 1.0.0 official\n"
    manifest = Manifest.read(directory)
    assert manifest is not None
    assert (manifest.road, site.checksum in manifest.source) == ("download", True)


def test_a_wrong_checksum_is_refused_and_nothing_is_kept(tmp_path: Path, site: Site) -> None:
    site.archive = archive(b"#!/bin/sh\necho greeter 1.0.0 of somebody else\n")
    here = supply(tmp_path, site.pins(), road="")
    with pytest.raises(
        ToolchainError, match=r"its SHA-256 is .*, but http.*\.sha256 says .*; the file was thrown away"
    ):
        here.ensure([])
    assert here.present(here.catalog.items["greeter"]) is None
    assert list((tmp_path / "cache" / "toolchain" / "greeter" / "downloads").iterdir()) == []


def test_a_download_goes_on_where_the_network_went_away(tmp_path: Path, site: Site) -> None:
    site.cut_after = 50
    supply(tmp_path, site.pins(), road="download").ensure([])
    assert site.ranges == ["", "bytes=50-"]


def test_the_next_call_goes_on_where_the_last_one_was_cut_off(
    tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "TRIES", 1)
    here = supply(tmp_path, site.pins(), road="download")
    site.cut_after = 50
    with pytest.raises(ToolchainError, match="its release cannot be downloaded"):
        here.ensure([])
    here.ensure([])
    assert site.ranges == ["", "bytes=50-"]


def test_a_release_that_is_not_there_is_built_instead(
    tmp_path: Path, site: Site, capfd: pytest.CaptureFixture[str]
) -> None:
    site.gone = True
    directory = supply(tmp_path, site.pins(), road="").ensure([])["greeter"]
    assert road_of(directory) == "build"
    assert "the release cannot be had: downloading http" in capfd.readouterr().err


def test_a_release_without_a_sha256_is_built_instead(
    tmp_path: Path, site: Site, capfd: pytest.CaptureFixture[str]
) -> None:
    site.checksum = "a" * 40
    directory = supply(tmp_path, site.pins(), road="").ensure([])["greeter"]
    assert road_of(directory) == "build"
    assert "greeter-1.0.0.tar.gz.sha256 has no SHA-256 for it" in capfd.readouterr().err


def test_an_unreachable_site_is_asked_once_and_the_program_is_built(tmp_path: Path) -> None:
    pins = Site("http://127.0.0.1:9").pins()
    assert road_of(supply(tmp_path, pins, road="").ensure([])["greeter"]) == "build"
    assert fetch.reachable.cache_info().currsize >= 1


def test_a_forced_download_says_how_to_let_it_be_built(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="making greeter 1.0.0: .*unset NODEWRIGHT_TOOLCHAIN"):
        supply(tmp_path, Site("http://127.0.0.1:9").pins(), road="download").ensure([])


def test_both_roads_can_stand_beside_each_other(tmp_path: Path, site: Site) -> None:
    downloaded = supply(tmp_path, site.pins(), road="download").ensure([])["greeter"]
    built = supply(tmp_path, site.pins(), road="build").ensure([])["greeter"]
    assert (road_of(downloaded), road_of(built)) == ("download", "build")


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('{"assets": [{"name": "greeter.tgz", "digest": "sha256:%s"}]}' % ("a" * 64), "a" * 64),
        ('{"assets": [{"name": "other.tgz", "digest": "sha256:%s"}]}' % ("a" * 64), None),
        ('{"assets": [{"name": "greeter.tgz", "digest": null}]}', None),
        ("<html>come back later</html>", None),
    ],
    ids=["there", "of another file", "none", "a web page"],
)
def test_digests_that_github_computes_are_understood(answer: str, found: str | None) -> None:
    assert fetch._from_github(answer, "greeter.tgz") == found


@pytest.mark.parametrize(
    ("published", "found"),
    [
        ("A" * 64, "a" * 64),
        (f"{'b' * 64}  other.tgz\n{'c' * 64}  ./greeter.tgz\n", "c" * 64),
        (f"{'d' * 64} *greeter.tgz\n", "d" * 64),
        (f"{'e' * 64}  other.tgz\n{'f' * 64}  another.tgz\n", None),
        (f"{'0' * 40}  ./greeter.tgz\n", None),
        ("<html>not found</html>", None),
    ],
    ids=["alone", "in a list", "binary mark", "not in the list", "SHA-1", "a web page"],
)
def test_checksum_files_of_all_projects_are_understood(published: str, found: str | None) -> None:
    assert fetch.checksum_in(published, "greeter.tgz") == found
