"""Rules about the storage machine: volumes, exports inside of them, PersistentVolumes inside of those."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from cluster.settings.faults import Fault
from cluster.settings.manifests import read_manifest
from cluster.settings.rules.parts import Parts
from cluster.settings.storage import PersistentVolumeSettings, StorageSettings

SYSTEM_DIRECTORIES = (
    *("/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/proc"),
    *("/root", "/run", "/sbin", "/sys", "/usr", "/var"),
)


def volumes_have_places_of_their_own(parts: Parts) -> Iterator[Fault]:
    """No volume hides another one, or the system."""
    names: set[str] = set()
    places: dict[str, str] = {}
    for place, volume in enumerate(parts.storage.volumes if parts.storage else ()):
        path = f"storage.volumes.{place}"
        if volume.name in names:
            yield Fault(f"{path}.name", f"is {volume.name}, as another volume's; take another name")
        names.add(volume.name)
        for other, other_path in places.items():
            if _inside(volume.mount_to, other) or _inside(other, volume.mount_to):
                yield Fault(
                    f"{path}.mount-to", f"is {volume.mount_to}, which meets {other} of {other_path}; keep them apart"
                )
        places[volume.mount_to] = path
        if any(_inside(volume.mount_to, directory) for directory in SYSTEM_DIRECTORIES):
            yield Fault(f"{path}.mount-to", f"is {volume.mount_to}, a directory of the system; take one like /volume")


def exports_are_inside_volumes(parts: Parts) -> Iterator[Fault]:
    """What is exported must be on a volume, or a heal would lose it."""
    storage = parts.storage
    if storage is None:
        return
    mounts = [volume.mount_to for volume in storage.volumes]
    seen: set[tuple[str, str]] = set()
    for place, export in enumerate(storage.exports):
        path = f"storage.exports.{place}.directory"
        if not any(_inside(export.directory, mount) for mount in mounts):
            yield Fault(path, f"is {export.directory}, outside of every volume; take one inside of {', '.join(mounts)}")
        if (export.directory, str(export.to)) in seen:
            yield Fault(path, f"is {export.directory}, exported to {export.to} twice; keep one of them")
        seen.add((export.directory, str(export.to)))


def persistent_volumes_are_inside_exports(parts: Parts) -> Iterator[Fault]:
    """A PersistentVolume is a directory that clients can mount, known by one name."""
    storage = parts.storage
    if storage is None:
        return
    seen: dict[tuple[str, str], str] = {}
    for place, volume in enumerate(storage.persistent_volumes):
        path = f"storage.persistent-volumes.{place}"
        found = _file(path, volume, storage) if isinstance(volume, str) else _short_form(path, volume, storage)
        for thing in found:
            if isinstance(thing, Fault):
                yield thing
                continue
            kind, name, where = thing
            if (kind, name) in seen:
                yield Fault(where, f"is {name}, a {kind} that {seen[kind, name]} holds, too; take another name")
            seen.setdefault((kind, name), where)


Named = tuple[str, str, str]
"""Kind, name, and where it was found."""


def _short_form(path: str, volume: PersistentVolumeSettings, storage: StorageSettings) -> Iterator[Fault | Named]:
    yield "PersistentVolume", volume.name, f"{path}.name"
    if not _is_exported(volume.path, storage):
        yield Fault(f"{path}.path", f"is {volume.path}, which is not exported; add it to storage.exports")


def _file(path: str, file: str, storage: StorageSettings) -> Iterator[Fault | Named]:
    if not file.endswith((".yaml", ".yml")):
        yield Fault(path, f"is {file!r}; give a manifest whose name ends with .yaml, or name, size-gib and path")
        return
    for document in read_manifest(file):
        where = f"{file}, document {document.number}"
        if document.fault:
            yield Fault(path, f"{where}: {document.name and document.name + ' '}{document.fault}")
            continue
        yield document.kind, document.name, path
        if document.kind == "PersistentVolume" and not _is_exported(document.nfs_path, storage):
            exports = ", ".join(export.directory for export in storage.exports) or "nothing yet"
            yield Fault(
                path,
                f"{where}: {document.name} has the path {document.nfs_path}, which is not exported; take one inside of "
                f"{exports}, or add it to storage.exports",
            )


def _is_exported(directory: str, storage: StorageSettings) -> bool:
    return any(_inside(directory, export.directory) for export in storage.exports)


def _inside(directory: str, parent: str) -> bool:
    return PurePosixPath(directory).is_relative_to(parent)


RULES = (volumes_have_places_of_their_own, exports_are_inside_volumes, persistent_volumes_are_inside_exports)
