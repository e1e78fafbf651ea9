"""Container images without a container engine: one layer of files, written as an archive that containerd imports."""

import hashlib
import io
import json
import re
import stat
import subprocess
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
USERS = {
    "etc/passwd": "root:x:0:0::/:/\nnobody:x:65534:65534::/:/\n",
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
}
EPOCH = "1970-01-01T00:00:00Z"  # the same content must give the same digest on every build


@dataclass(frozen=True, kw_only=True)
class ContainerImage:
    """What a container image holds; paths inside it are absolute."""

    reference: str
    files: Mapping[str, Path]
    links: Mapping[str, str] = field(default_factory=dict)
    entrypoint: tuple[str, ...] = ()


def write_archive(image: ContainerImage, target: Path) -> None:
    """Write the image in the form of `docker save`."""
    layer = _layer(image)
    layer_digest = hashlib.sha256(layer).hexdigest()
    settings: dict[str, object] = {"Env": [f"PATH={SEARCH_PATH}"], "WorkingDir": "/"}
    if image.entrypoint:
        settings["Entrypoint"] = list(image.entrypoint)
    config = _as_json(
        {
            "architecture": "amd64",
            "os": "linux",
            "created": EPOCH,
            "config": settings,
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer_digest}"]},
        }
    )
    config_name = f"{hashlib.sha256(config).hexdigest()}.json"
    layer_name = f"{layer_digest}/layer.tar"
    manifest = _as_json([{"Config": config_name, "RepoTags": [image.reference], "Layers": [layer_name]}])
    with tarfile.open(target, "w") as archive:
        for name, content in ((config_name, config), (layer_name, layer), ("manifest.json", manifest)):
            _add_file(archive, name, content)


def with_libraries(root: Path, *programs: str) -> dict[str, Path]:
    """Programs of a root directory and the shared libraries they are linked with: path in the image -> file."""
    paths: set[str] = set()
    for program in programs:
        listing = subprocess.run(  # noqa: S603 (program names come from the recipe)
            ["chroot", str(root), "ldd", program],  # noqa: S607
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        paths |= {program, *re.findall(r"(/\S+) \(0x", listing)}
    return {path: _resolve(root, path) for path in sorted(paths)}


def _resolve(root: Path, path: str) -> Path:
    """Follow links as they read inside the root, where an absolute one does not mean this machine's file."""
    resolved = (root / path.lstrip("/")).resolve()
    if not resolved.is_relative_to(root.resolve()):
        resolved = root.resolve() / resolved.relative_to("/")
    return resolved


def _layer(image: ContainerImage) -> bytes:
    names = [path.lstrip("/") for path in (*image.files, *image.links, *USERS)]
    folders = {str(folder) for name in names for folder in PurePosixPath(name).parents} - {"."}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as layer:
        for folder in sorted(folders | {"run", "tmp", "var"}):
            entry = tarfile.TarInfo(folder)
            entry.type = tarfile.DIRTYPE
            entry.mode = 0o1777 if folder == "tmp" else 0o755
            layer.addfile(entry)
        for name, text in USERS.items():
            _add_file(layer, name, text.encode())
        for path, source in sorted(image.files.items()):
            mode = 0o755 if source.stat().st_mode & stat.S_IXUSR else 0o644
            _add_file(layer, path.lstrip("/"), source.read_bytes(), mode)
        for path, destination in sorted(image.links.items()):
            entry = tarfile.TarInfo(path.lstrip("/"))
            entry.type = tarfile.SYMTYPE
            entry.linkname = destination
            layer.addfile(entry)
    return buffer.getvalue()


def _add_file(archive: tarfile.TarFile, name: str, content: bytes, mode: int = 0o644) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    entry.mode = mode
    archive.addfile(entry, io.BytesIO(content))


def _as_json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True).encode()
