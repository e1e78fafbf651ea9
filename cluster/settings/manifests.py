"""Manifests of PersistentVolumes: files of the user's own, read and checked before anything changes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent.parent
STORAGE_MACHINE = "storage"
API_VERSIONS = {"PersistentVolume": "v1", "StorageClass": "storage.k8s.io/v1"}
KEYS = {
    "PersistentVolume": {"apiVersion", "kind", "metadata", "spec"},
    "StorageClass": {
        *("apiVersion", "kind", "metadata", "provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"),
        *("mountOptions", "allowVolumeExpansion", "allowedTopologies"),
    },
}


@dataclass(frozen=True, kw_only=True)
class Document:
    """One document of a manifest, and what is wrong with it."""

    number: int
    kind: str = ""
    name: str = ""
    content: dict[str, Any] = field(default_factory=dict)
    fault: str = ""

    @property
    def nfs_path(self) -> str:
        """The directory on the server; empty for what is no PersistentVolume."""
        return str(self.content["spec"]["nfs"]["path"]) if self.kind == "PersistentVolume" else ""


def read_manifest(path: str) -> list[Document]:
    """Read every document of a file; what cannot be read is a document with a fault."""
    try:
        text = (ROOT / path).read_text(encoding="utf-8")
    except OSError as error:
        return [Document(number=1, fault=f"cannot be read ({error.strerror}); give a file inside the project")]
    except UnicodeDecodeError:
        return [Document(number=1, fault="is no text in UTF-8; save it as such")]
    try:
        documents = [document for document in yaml.safe_load_all(text) if document is not None]
    except yaml.YAMLError as error:
        return [Document(number=1, fault=f"is no YAML{_where(error)}; correct it")]
    if not documents:
        return [Document(number=1, fault="holds nothing; give a PersistentVolume, or remove it from the list")]
    return [_document(number, content) for number, content in enumerate(documents, start=1)]


def _where(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "unreadable"
    return f" (line {mark.line + 1}: {problem})" if mark else f" ({problem})"


def _document(number: int, content: object) -> Document:
    if not isinstance(content, dict) or not isinstance(content.get("kind"), str):
        return Document(number=number, fault="has no kind; give a PersistentVolume or a StorageClass")
    kind = content["kind"]
    metadata = content.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    document = Document(number=number, kind=kind, name=name if isinstance(name, str) else "", content=content)
    fault = next(_faults(document), "")
    return Document(number=number, kind=kind, name=document.name, content={} if fault else content, fault=fault)


def _faults(document: Document) -> Iterator[str]:
    kind, content = document.kind, document.content
    if kind not in API_VERSIONS:
        yield f"is a {kind}; give PersistentVolumes and StorageClasses only, and apply everything else yourself"
        return
    if content.get("apiVersion") != API_VERSIONS[kind]:
        yield f"has apiVersion {content.get('apiVersion')!r}; a {kind} has {API_VERSIONS[kind]}"
    if not document.name:
        yield f"is a {kind} without metadata.name; name it"
    for key in content:
        if key not in KEYS[kind]:
            yield f"has the key {key!r}, which no {kind} has; remove it"
    if kind == "PersistentVolume":
        yield from _volume_faults(content.get("spec"))
    elif not isinstance(content.get("provisioner"), str):
        yield "has no provisioner; for volumes made by hand it is kubernetes.io/no-provisioner"


def _volume_faults(spec: object) -> Iterator[str]:
    if not isinstance(spec, dict):
        yield "has no spec; give capacity, accessModes and nfs"
        return
    nfs = spec.get("nfs")
    if not isinstance(nfs, dict):
        yield "has no spec.nfs; give nfs: {server: storage, path: …}"
        return
    if nfs.get("server") != STORAGE_MACHINE:
        yield (
            f"names the server {nfs.get('server')!r}; write {STORAGE_MACHINE}, the name of the storage machine: "
            "its address is filled in"
        )
    if not isinstance(nfs.get("path"), str):
        yield "has no spec.nfs.path; give a directory inside an export"
    capacity = spec.get("capacity")
    if not isinstance(capacity, dict) or "storage" not in capacity:
        yield "has no spec.capacity.storage; give a size like 5Gi"
    if not isinstance(spec.get("accessModes"), list) or not spec["accessModes"]:
        yield "has no spec.accessModes; give for example [ReadWriteMany]"
