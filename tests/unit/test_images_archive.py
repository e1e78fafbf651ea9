"""Container images written without a container engine."""

import json
import tarfile
from io import BytesIO
from pathlib import Path

from lab.images.container_archive import ContainerImage, write_archive


def program(folder: Path, name: str = "program") -> Path:
    path = folder / name
    path.write_bytes(b"binary")
    path.chmod(0o755)
    return path


def layer_of(archive_path: Path) -> tarfile.TarFile:
    with tarfile.open(archive_path) as archive:
        manifest = json.loads(read(archive, "manifest.json"))
        return tarfile.open(fileobj=BytesIO(read(archive, manifest[0]["Layers"][0])))


def read(archive: tarfile.TarFile, name: str) -> bytes:
    member = archive.extractfile(name)
    assert member is not None
    return member.read()


def test_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    image = ContainerImage(reference="example.org/one:v1", files={"/bin/one": program(tmp_path)})
    write_archive(image, tmp_path / "a.tar")
    (tmp_path / "program").touch()
    write_archive(image, tmp_path / "b.tar")
    assert (tmp_path / "a.tar").read_bytes() == (tmp_path / "b.tar").read_bytes()


def test_archive_names_the_image_and_what_it_starts(tmp_path: Path) -> None:
    image = ContainerImage(
        reference="example.org/one:v1", files={"/bin/one": program(tmp_path)}, entrypoint=("/bin/one", "serve")
    )
    write_archive(image, tmp_path / "a.tar")
    with tarfile.open(tmp_path / "a.tar") as archive:
        manifest = json.loads(read(archive, "manifest.json"))[0]
        config = json.loads(read(archive, manifest["Config"]))
    assert manifest["RepoTags"] == ["example.org/one:v1"]
    assert config["config"]["Entrypoint"] == ["/bin/one", "serve"]


def test_every_folder_comes_before_what_is_in_it(tmp_path: Path) -> None:
    image = ContainerImage(
        reference="example.org/one:v1",
        files={"/usr/local/bin/one": program(tmp_path)},
        links={"/usr/sbin/other": "../local/bin/one"},
    )
    write_archive(image, tmp_path / "a.tar")
    seen = {""}
    for entry in layer_of(tmp_path / "a.tar"):
        assert str(Path(entry.name).parent).replace(".", "") in seen
        seen.add(entry.name)
    assert {"usr/local/bin/one", "usr/sbin/other", "tmp", "etc/passwd"} <= seen


def test_programs_stay_executable_and_data_does_not_become_so(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("text")
    image = ContainerImage(
        reference="example.org/one:v1", files={"/one": program(tmp_path), "/data": tmp_path / "data"}
    )
    write_archive(image, tmp_path / "a.tar")
    layer = layer_of(tmp_path / "a.tar")
    assert layer.getmember("one").mode == 0o755
    assert layer.getmember("data").mode == 0o644
