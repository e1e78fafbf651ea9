"""The storage machine, its volumes and exports, and the PersistentVolumes made from them."""

from typing import Annotated

from pydantic import Discriminator, Field, Tag

from cluster.settings.pools import Pool
from cluster.settings.section import Section, setting
from cluster.settings.words import (
    AbsolutePath,
    CloudName,
    ExportPath,
    Network,
    PoolName,
    ProjectPath,
    VolumeGib,
    VolumeId,
)


class StorageVolumeSettings(Section):
    """A Cinder volume of the storage machine; it outlives the machine."""

    name: PoolName = setting("Name of the volume; it never changes.", birth=True)
    size_gib: VolumeGib = setting("Size; it can grow, never shrink.")
    mount_to: AbsolutePath = setting("Directory where it is mounted.")
    type: CloudName | None = setting("Cinder's type of the volume.", default=None)
    adopt: VolumeId | None = setting(
        "Id of a volume that is there already, with its data; taken over instead of making a new one.", default=None
    )


class ExportSettings(Section):
    """A directory that NFS clients may mount."""

    directory: ExportPath = setting("Directory, inside a mounted volume; made when it is missing.")
    to: Network = setting("Who may mount it.")


class PersistentVolumeSettings(Section):
    """A PersistentVolume in short: a directory of an export."""

    name: PoolName = setting("Name of the PersistentVolume.")
    size_gib: VolumeGib = setting("Size the PersistentVolume states.")
    path: ExportPath = setting("Directory, inside an export; made when it is missing.")
    storage_class: PoolName | None = setting("Its StorageClass; made when no manifest holds it.", default=None)


def _form_of(value: object) -> str:
    return "(file)" if isinstance(value, str) else "(short)"


PersistentVolume = Annotated[
    Annotated[PersistentVolumeSettings, Tag("(short)")] | Annotated[ProjectPath, Tag("(file)")],
    Discriminator(_form_of),
]


class StorageSettings(Pool):
    """An NFS server with volumes of its own."""

    volumes: Annotated[tuple[StorageVolumeSettings, ...], Field(min_length=1)] = setting("Its volumes.")
    exports: tuple[ExportSettings, ...] = setting("What it exports.", default=())
    persistent_volumes: tuple[PersistentVolume, ...] = setting(
        "PersistentVolumes in short, or files of manifests.", default=()
    )
    allow_data_loss: bool = setting("Allow changes that destroy or move a volume in use.", default=False, strict=True)
    keep_volumes: bool = setting(
        "Leave the volumes in the cloud when they or the whole cluster are removed.", default=True, strict=True
    )
