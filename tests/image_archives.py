"""Container image archives of tests, in the forms that tools write."""

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lab.images import store

Layer = Mapping[str, bytes]


def registry_program() -> Path:
    """Give the registry of the lab's machines, where it is a package."""
    programs = sorted(store.folder().glob("node-1.34.3-*/usr/bin/docker-registry"))
    assert programs, "the lab has no image of a node yet; run bin/lab up"
    return programs[-1]


def tar_of(files: Layer) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as made:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o755
            made.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def write_oci_archive(target: Path, images: Mapping[str, Sequence[Layer]], *, nested: bool = False) -> None:
    """Write an OCI layout with gzipped layers: an image for each platform, in an index of their own when nested."""
    blobs: dict[str, bytes] = {}

    def blob(content: bytes, **more: Any) -> dict[str, Any]:
        digest = hashlib.sha256(content).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = content
        return {"digest": f"sha256:{digest}", "size": len(content), **more}

    manifests = []
    for platform, layers in images.items():
        system, _, architecture = platform.partition("/")
        manifest = {"layers": [blob(gzip.compress(tar_of(layer))) for layer in layers]}
        manifests.append(blob(json.dumps(manifest).encode(), platform={"os": system, "architecture": architecture}))
    index: dict[str, Any] = {"manifests": manifests}
    if nested:
        index = {"manifests": [blob(json.dumps(index).encode())]}
    target.write_bytes(
        tar_of({"./index.json": json.dumps(index).encode(), **{f"./{path}": blobs[path] for path in blobs}})
    )
