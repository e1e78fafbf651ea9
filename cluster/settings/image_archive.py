"""The program in a container image archive: where it lies and what it must be, looked into before anything changes."""

import hashlib
import io
import json
import posixpath
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

ROOT = Path(__file__).parent.parent.parent
PLACES = ("bin", "usr/bin", "usr/local/bin")
DAMAGE = (tarfile.TarError, zlib.error, OSError, EOFError, ValueError, KeyError, TypeError, AttributeError)
BEST_FORM = "give one made by `docker save`, or an OCI layout in a tar, with gzip or without"


class ArchiveError(ValueError):
    """What is wrong with an archive, and what to give instead."""


@dataclass(frozen=True, kw_only=True)
class ArchivedProgram:
    """A program inside one layer of an image archive."""

    layer: str
    """Path of the layer in the archive."""
    path: str
    """Path of the program in the layer."""
    sha256: str
    """Of the program itself."""


def check_image_archive(path: str, program: str) -> str | None:
    """Say what is wrong with an archive that should hold an image with this program, or nothing."""
    try:
        find_program(path, program)
    except ArchiveError as error:
        return str(error)
    return None


def find_program(path: str, program: str) -> ArchivedProgram:
    """Find the program that a container of the archive's image would start: that of the last layer that has it."""
    try:
        file = (ROOT / path).open("rb")
    except OSError as error:
        msg = f"cannot be read ({error.strerror}); give a file inside the project"
        raise ArchiveError(msg) from None
    try:
        with file, _opened(file) as archive:
            found = next(_programs(archive, program), None)
    except ArchiveError:
        raise
    except DAMAGE:
        msg = f"is no container image archive, or a damaged one; {BEST_FORM}"
        raise ArchiveError(msg) from None
    if found is None:
        places = ", ".join(f"/{place}/{program}" for place in PLACES)
        msg = f"holds no image with the program {program} ({places}); save the image of a registry, like registry:2"
        raise ArchiveError(msg)
    return found


def _programs(archive: tarfile.TarFile, program: str) -> Iterator[ArchivedProgram]:
    for layers in _images(archive):
        for layer in reversed(layers):
            found = _find_in_layer(archive, layer, program)
            if found:
                yield found


def _images(archive: tarfile.TarFile) -> Iterator[list[str]]:
    """Give the layers of each image, the lowest first. `docker save` writes both lists of late: its own is shorter."""
    members = {_plain(member.name): member.name for member in archive.getmembers()}
    if "manifest.json" in members:
        manifest = _json(archive, members["manifest.json"])
        yield from ([members[_plain(layer)] for layer in image["Layers"]] for image in manifest)
    elif "index.json" in members:
        yield from _oci_images(archive, members, _json(archive, members["index.json"]))
    else:
        msg = f"has neither manifest.json nor index.json; {BEST_FORM}"
        raise ArchiveError(msg)


def _oci_images(archive: tarfile.TarFile, members: dict[str, str], index: Any) -> Iterator[list[str]]:
    """Follow an index down to images. One for several platforms is refused: nobody knows here what a machine is."""
    entries = [entry for entry in index["manifests"] if entry.get("platform", {}).get("os") != "unknown"]
    platforms = {"{os}/{architecture}".format_map(entry["platform"]) for entry in entries if entry.get("platform")}
    if len(platforms) > 1:
        msg = f"holds one image for each of {', '.join(sorted(platforms))}; save it for the machine's platform only"
        raise ArchiveError(msg)
    for entry in entries:
        content = _json(archive, members[_blob(entry)])
        if "manifests" in content:
            yield from _oci_images(archive, members, content)
        else:
            yield [members[_blob(layer)] for layer in content["layers"]]


def _find_in_layer(archive: tarfile.TarFile, layer: str, program: str) -> ArchivedProgram | None:
    wanted = {f"{place}/{program}" for place in PLACES}
    kept = archive.getmember(layer)
    if kept.issym():  # one of two equal layers
        layer = posixpath.normpath(posixpath.join(posixpath.dirname(layer), kept.linkname))
    with archive.extractfile(layer) or io.BytesIO() as content:
        try:
            files = _opened(content)
        except tarfile.ReadError:
            msg = "has layers that are no tar, with gzip or without; save it without other compression"
            raise ArchiveError(msg) from None
        for member in files:
            if _plain(member.name) in wanted and member.isreg():
                read = files.extractfile(member)
                digest = hashlib.sha256(read.read() if read else b"")
                return ArchivedProgram(layer=layer, path=member.name, sha256=digest.hexdigest())
    return None


def _opened(content: IO[bytes]) -> tarfile.TarFile:
    """Read what every machine's tar reads: it may lack the programs for other compressions."""
    try:
        return tarfile.open(fileobj=content, mode="r:gz")
    except tarfile.ReadError:
        content.seek(0)
        return tarfile.open(fileobj=content, mode="r:")


def _json(archive: tarfile.TarFile, name: str) -> Any:
    return json.load(archive.extractfile(name) or io.BytesIO())


def _blob(descriptor: dict[str, str]) -> str:
    return f"blobs/{descriptor['digest'].replace(':', '/')}"


def _plain(name: str) -> str:
    """Write a path without the dot that some archives begin with."""
    return str(PurePosixPath(name))
