"""Directories of the storage machine are PersistentVolumes of the cluster, with their StorageClasses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi_kubernetes import core, storage

from components.kubernetes_api import KubernetesApi

CLUSTER_LABEL = "nodewright.dev/cluster"
VOLUME_ANNOTATION = "nodewright.dev/volume"


@dataclass(frozen=True, kw_only=True)
class VolumeManifest:
    """A PersistentVolume whose server is not known yet."""

    name: str
    volume: str
    """The storage machine's volume that holds the data; remembered with it, so that it is never sought elsewhere."""
    metadata: Mapping[str, Any]
    spec: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class PersistentVolumesArgs:
    cluster_name: str
    api: KubernetesApi
    server: pulumi.Input[str]
    volumes: Sequence[VolumeManifest]
    classes: Sequence[Mapping[str, Any]]
    serving: Sequence[pulumi.Resource]


class PersistentVolumes(pulumi.ComponentResource):
    def __init__(self, name: str, args: PersistentVolumesArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("nodewright:cluster:PersistentVolumes", name, {}, opts)

        for manifest in args.classes:
            fields = {key: value for key, value in manifest.items() if key not in {"apiVersion", "kind"}}
            storage.v1.StorageClass(
                f"{name}-class-{manifest['metadata']['name']}",
                metadata=fields.pop("metadata"),
                provisioner=fields.pop("provisioner"),
                parameters=fields.pop("parameters", None),
                reclaim_policy=fields.pop("reclaimPolicy", None),
                volume_binding_mode=fields.pop("volumeBindingMode", None),
                mount_options=fields.pop("mountOptions", None),
                allow_volume_expansion=fields.pop("allowVolumeExpansion", None),
                allowed_topologies=fields.pop("allowedTopologies", None),
                opts=args.api.options(self),
            )

        for volume in args.volumes:
            core.v1.PersistentVolume(
                f"{name}-{volume.name}",
                metadata=_marked(volume, args.cluster_name),
                spec=_with_server(volume.spec, args.server),
                # Only order: who finds the volume can mount it; and who uses one is asked before it goes.
                opts=args.api.options(self, args.serving),
            )

        self.register_outputs({})


def _marked(volume: VolumeManifest, cluster_name: str) -> Any:
    metadata = dict(volume.metadata)
    return {
        **metadata,
        "labels": {**(metadata.get("labels") or {}), CLUSTER_LABEL: cluster_name},
        "annotations": {**(metadata.get("annotations") or {}), VOLUME_ANNOTATION: volume.volume},
    }


def _with_server(spec: Mapping[str, Any], server: pulumi.Input[str]) -> Any:
    return {**spec, "nfs": {**spec["nfs"], "server": server}}
