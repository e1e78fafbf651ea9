"""What the storage machine offers: exports, directories, and the PersistentVolumes made of them."""

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from cluster.settings import StorageSettings
from cluster.settings.manifests import read_manifest
from cluster.settings.storage import PersistentVolumeSettings

HIGHEST_EXPORT_ID = 65535
NO_PROVISIONER = "kubernetes.io/no-provisioner"
# Version 4 needs one port, and locks work; a machine that is healed is waited for, without an error to the program.
MOUNT_OPTIONS = ("nfsvers=4.1", "hard")


@dataclass(frozen=True, kw_only=True)
class ExportPlan:
    """A directory and the networks that may mount it."""

    export_id: int
    """Part of every file handle that clients hold: it follows from the directory, never from a place in a list."""
    directory: str
    clients: tuple[str, ...]
    volume: str
    """Name of the volume that it lies on."""


@dataclass(frozen=True, kw_only=True)
class PersistentVolumePlan:
    """A PersistentVolume; the server in its spec is still a name."""

    name: str
    path: str
    volume: str
    metadata: Mapping[str, Any]
    spec: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class StoragePlan:
    """All that the storage machine serves."""

    mount_points: Mapping[str, str]
    """Where each volume is mounted, by its name."""
    exports: tuple[ExportPlan, ...]
    persistent_volumes: tuple[PersistentVolumePlan, ...]
    storage_classes: tuple[Mapping[str, Any], ...]
    allow_data_loss: bool

    @property
    def directories(self) -> tuple[str, ...]:
        """Everything that must be there before it is exported or mounted."""
        wanted = {export.directory for export in self.exports} | {pv.path for pv in self.persistent_volumes}
        return tuple(sorted(wanted))

    @property
    def clients(self) -> tuple[str, ...]:
        """Every network that may mount something."""
        return tuple(sorted({client for export in self.exports for client in export.clients}))


def storage_plan(storage: StorageSettings | None) -> StoragePlan | None:
    """Plan what is served; the settings are known to be sound."""
    if storage is None:
        return None
    mounts = {volume.name: volume.mount_to for volume in storage.volumes}
    volumes = tuple(_persistent_volumes(storage, mounts))
    return StoragePlan(
        mount_points=mounts,
        exports=_exports(storage, mounts),
        persistent_volumes=volumes,
        storage_classes=tuple(_storage_classes(storage)),
        allow_data_loss=storage.allow_data_loss,
    )


def _exports(storage: StorageSettings, mounts: Mapping[str, str]) -> tuple[ExportPlan, ...]:
    clients: dict[str, set[str]] = {}
    for export in storage.exports:
        clients.setdefault(export.directory, set()).add(str(export.to))
    taken: set[int] = set()
    exports: list[ExportPlan] = []
    for directory in sorted(clients):
        export_id = _export_id(directory, taken)
        taken.add(export_id)
        exports.append(
            ExportPlan(
                export_id=export_id,
                directory=directory,
                clients=tuple(sorted(clients[directory])),
                volume=_volume_of(directory, mounts),
            )
        )
    return tuple(exports)


def _export_id(directory: str, taken: set[int]) -> int:
    number = zlib.crc32(directory.encode()) % HIGHEST_EXPORT_ID + 1
    while number in taken:
        number = number % HIGHEST_EXPORT_ID + 1
    return number


def _volume_of(directory: str, mounts: Mapping[str, str]) -> str:
    return next(name for name, mount in mounts.items() if PurePosixPath(directory).is_relative_to(mount))


def _persistent_volumes(storage: StorageSettings, mounts: Mapping[str, str]) -> Iterator[PersistentVolumePlan]:
    for item in storage.persistent_volumes:
        if isinstance(item, PersistentVolumeSettings):
            yield _of_short_form(item, mounts)
            continue
        for document in read_manifest(item):
            if document.kind == "PersistentVolume":
                yield PersistentVolumePlan(
                    name=document.name,
                    path=document.nfs_path,
                    volume=_volume_of(document.nfs_path, mounts),
                    metadata=document.content["metadata"],
                    spec=document.content["spec"],
                )


def _of_short_form(volume: PersistentVolumeSettings, mounts: Mapping[str, str]) -> PersistentVolumePlan:
    return PersistentVolumePlan(
        name=volume.name,
        path=volume.path,
        volume=_volume_of(volume.path, mounts),
        metadata={"name": volume.name},
        spec={
            "capacity": {"storage": f"{volume.size_gib}Gi"},
            "accessModes": ["ReadWriteMany"],
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": volume.storage_class or "",
            "mountOptions": list(MOUNT_OPTIONS),
            "nfs": {"path": volume.path},
        },
    )


def _storage_classes(storage: StorageSettings) -> Iterator[Mapping[str, Any]]:
    """Give the classes of manifests, and a plain one for every class that only the short form names."""
    known: set[str] = set()
    for item in storage.persistent_volumes:
        if isinstance(item, str):
            for document in read_manifest(item):
                if document.kind == "StorageClass":
                    known.add(document.name)
                    yield document.content
    short = (item for item in storage.persistent_volumes if isinstance(item, PersistentVolumeSettings))
    for name in sorted({item.storage_class for item in short if item.storage_class} - known):
        yield {"metadata": {"name": name}, "provisioner": NO_PROVISIONER, "reclaimPolicy": "Retain"}
