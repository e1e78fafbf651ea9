"""The registry's program is found in an image archive, or it is said why not."""

import gzip
import hashlib
import io
import json
import lzma
import os
import tarfile
from pathlib import Path

import pytest

from cluster.settings import SettingsError, image_archive, load
from cluster.settings.image_archive import check_image_archive, find_program
from lab.images.container_archive import ContainerImage, write_archive
from tests.examples import planned, raw
from tests.image_archives import tar_of, write_oci_archive

AMD64 = "linux/amd64"
OLD, NEW = b"old registry", b"new registry"


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(image_archive, "ROOT", tmp_path)
    return tmp_path / "registry.tar"


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def with_registry(changes: dict[str, object]) -> dict[str, object]:
    return raw({"registry": {"flavor": "s", "volume-gib": 5, "archive": "registry.tar", **changes}})


def test_the_form_of_docker_save_is_read(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "program").write_bytes(NEW)
    write_archive(ContainerImage(reference="registry:2", files={"/bin/registry": tmp_path / "program"}), archive)
    found = find_program("registry.tar", "registry")
    assert (found.path, found.sha256) == ("bin/registry", digest(NEW))
    assert found.layer.endswith("/layer.tar")


@pytest.mark.parametrize("nested", [False, True])
def test_an_oci_layout_is_read_and_the_last_layer_that_has_the_program_wins(archive: Path, nested: bool) -> None:
    layers = [{"bin/registry": OLD}, {"./usr/bin/registry": NEW, "etc/registry": b""}, {"entrypoint.sh": b""}]
    # What builders write about how an image came about is no image.
    write_oci_archive(archive, {AMD64: layers, "unknown/unknown": [{"x": b""}]}, nested=nested)
    found = find_program("registry.tar", "registry")
    assert (found.path, found.sha256) == ("./usr/bin/registry", digest(NEW))
    assert found.layer.startswith("./blobs/sha256/")


def test_an_archive_may_be_gzipped_as_a_whole_but_not_otherwise(archive: Path) -> None:
    write_oci_archive(archive, {AMD64: [{"bin/registry": NEW}]})
    plain = archive.read_bytes()
    archive.write_bytes(gzip.compress(plain))
    assert find_program("registry.tar", "registry").sha256 == digest(NEW)
    archive.write_bytes(lzma.compress(plain))
    assert "with gzip or without" in refused(archive)


def test_the_plan_knows_what_the_machine_will_run(archive: Path) -> None:
    write_oci_archive(archive, {AMD64: [{"bin/registry": NEW}]})
    plan = planned(with_registry({})).registry
    assert plan
    assert plan.archive
    assert (plan.archive.file, plan.archive.program.sha256) == ("registry.tar", digest(NEW))


def test_a_layer_that_is_a_link_to_an_equal_one_is_followed(archive: Path) -> None:
    layer = tar_of({"bin/registry": NEW})
    manifest = json.dumps([{"Layers": ["two/layer.tar"]}]).encode()
    with tarfile.open(archive, "w") as made:
        for name, content in (("one/layer.tar", layer), ("manifest.json", manifest)):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            made.addfile(entry, io.BytesIO(content))
        link = tarfile.TarInfo("two/layer.tar")
        link.type, link.linkname = tarfile.SYMTYPE, "../one/layer.tar"
        made.addfile(link)
    assert find_program("registry.tar", "registry").layer == "one/layer.tar"


def refused(archive: Path) -> str:
    fault = check_image_archive(archive.name, "registry")
    assert fault
    return fault


def test_a_file_that_is_missing_is_said_with_its_path(archive: Path) -> None:
    with pytest.raises(SettingsError, match=r"registry\.archive: registry\.tar cannot be read .* inside the project"):
        load(with_registry({}))
    archive.mkdir()
    assert "cannot be read" in refused(archive)


@pytest.mark.parametrize("content", [b"", b"no archive at all", os.urandom(5000), b"\x1f\x8b\x08" + bytes(500)])
def test_what_is_no_tar_is_said(archive: Path, content: bytes) -> None:
    archive.write_bytes(content)
    assert "docker save" in refused(archive) or "cannot be read" in refused(archive)


@pytest.mark.parametrize(
    "files",
    [
        {"bin/registry": NEW},
        {"manifest.json": b"[{}]"},
        {"manifest.json": b"no json"},
        {"manifest.json": b'[{"Layers": ["gone"]}]'},
        {"index.json": b"{}"},
        {"index.json": b'{"manifests": [{"digest": "sha256:gone"}]}'},
    ],
)
def test_what_is_no_image_archive_is_said(archive: Path, files: dict[str, bytes]) -> None:
    archive.write_bytes(tar_of(files))
    assert "docker save" in refused(archive)


def test_a_cut_archive_is_said(archive: Path) -> None:
    write_oci_archive(archive, {AMD64: [{"bin/registry": os.urandom(50_000)}]})
    archive.write_bytes(archive.read_bytes()[:20_000])
    assert "docker save" in refused(archive)


def test_an_image_of_something_else_is_said(archive: Path) -> None:
    write_oci_archive(archive, {AMD64: [{"bin/other": NEW}]})
    assert "/bin/registry" in refused(archive)
    assert "registry:2" in refused(archive)


def test_an_archive_for_several_platforms_is_refused(archive: Path) -> None:
    layers = [{"bin/registry": NEW}]
    write_oci_archive(archive, {AMD64: layers, "linux/arm64": layers})
    assert "linux/amd64, linux/arm64; save it for the machine's platform only" in refused(archive)


def test_layers_in_a_form_that_machines_may_not_read_are_refused(archive: Path) -> None:
    archive.write_bytes(tar_of({"manifest.json": b'[{"Layers": ["layer"]}]', "layer": b"\x28\xb5\x2f\xfd zstd"}))
    assert "without other compression" in refused(archive)
