"""A machine of the cluster runs, carries its name, and is fit for its role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
from pulumi_openstack import blockstorage, compute

from components.berth import Berth
from components.cloud_names import is_uuid
from components.remote_script import Host, RemoteScript, RemoteScriptArgs

# What a server is made of changes only with its incarnation: a node takes a new image over when its turn comes, and
# no change of a file ever replaces all nodes at once.
TAKEN_OVER_WHEN_REPLACED = [
    "imageId",
    "imageName",
    "flavorId",
    "flavorName",
    "userData",
    "blockDevices",
    "availabilityZone",
    "schedulerHints",
    "metadata",
]
# A server that its cloud gave up in the middle of making it is there, in ERROR. The engine knows it by this mark, which
# a failed update would leave, too: nothing of a server may ever be updated.
HALF_MADE = "#initerror"
BOOT_TIMEOUT = "20m"


@dataclass(frozen=True, kw_only=True)
class MachineArgs:
    cluster_name: str
    role: str
    berth: Berth
    image_id: pulumi.Input[str]
    flavor: str
    incarnation: str
    """Its change, and nothing else, replaces the machine."""
    user_data: pulumi.Input[str]
    preparation: Mapping[str, pulumi.Input[str]]
    """The variables of `machine-prepare`."""
    server_group_id: pulumi.Input[str] | None = None
    availability_zone: str | None = None
    after: Sequence[pulumi.Resource] = ()
    """What must be finished before this machine is touched."""
    registries: pulumi.Input[str] | None = None
    """What it pulls from, as `registries-configure` reads it; `None` for a machine that was never told of any."""


class Machine(pulumi.ComponentResource):
    host: Host
    address: pulumi.Output[str]
    server_id: pulumi.Output[str]
    prepared: list[pulumi.Resource]
    """The steps after which the machine is fit for its role."""

    def __init__(self, name: str, args: MachineArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        telling = {"role": args.role, "incarnation": args.incarnation}
        super().__init__("nodewright:cluster:Machine", name, telling, opts)
        self.host = args.berth.host
        self.address = args.berth.address

        self.server_id = self._server(name, args).id
        self.prepared = self._make_fit(name, args)

        self.register_outputs({"address": self.address, "server_id": self.server_id})

    def _server(self, name: str, args: MachineArgs) -> compute.Instance:
        volumes = [volume for _, volume in args.berth.volumes]
        group = args.server_group_id
        return compute.Instance(
            name,
            name=name,
            image_id=args.image_id,
            flavor_id=args.flavor if is_uuid(args.flavor) else None,
            flavor_name=None if is_uuid(args.flavor) else args.flavor,
            availability_zone=args.availability_zone,
            networks=[compute.InstanceNetworkArgs(port=args.berth.port.id)],
            block_devices=_block_devices(args.image_id, volumes) if volumes else None,
            scheduler_hints=None if group is None else [compute.InstanceSchedulerHintArgs(group=group)],
            user_data=args.user_data,
            config_drive=True,
            metadata={
                "nodewright-cluster": args.cluster_name,
                "nodewright-node": name,
                "nodewright-role": args.role,
            },
            # A clean shutdown: file systems on volumes are unmounted before the volumes go to the next server.
            stop_before_destroy=True,
            opts=pulumi.ResourceOptions(
                parent=self,
                # Only order: whoever is replaced before this machine must be back in service first.
                depends_on=list(args.after),
                replacement_trigger=args.incarnation,
                replace_on_changes=[HALF_MADE],
                delete_before_replace=True,
                ignore_changes=TAKEN_OVER_WHEN_REPLACED,
                custom_timeouts=pulumi.CustomTimeouts(create=BOOT_TIMEOUT, delete=BOOT_TIMEOUT),
            ),
        )

    def _make_fit(self, name: str, args: MachineArgs) -> list[pulumi.Resource]:
        ready = RemoteScript(
            f"{name}-ready",
            RemoteScriptArgs(
                host=self.host,
                script="machine-ready",
                variables={"NODE_NAME": name},
                triggers=[self.server_id],
                first_contact=True,
            ),
            pulumi.ResourceOptions(parent=self),
        )
        # Only order: nothing works before cloud-init has finished.
        afterwards = pulumi.ResourceOptions(parent=self, depends_on=[ready])
        prepare = RemoteScript(
            f"{name}-prepare",
            RemoteScriptArgs(
                host=self.host,
                script="machine-prepare",
                variables=args.preparation,
                triggers=[self.server_id],
            ),
            afterwards,
        )
        mounts = [
            RemoteScript(
                f"{plan.name}-mount",
                RemoteScriptArgs(
                    host=self.host,
                    script="volume-mount",
                    variables={
                        "DEVICE_ID": volume.id,
                        "MOUNT_POINT": plan.mount_point,
                        # Content: when the volume has grown, the file system is told.
                        "SIZE_GIB": str(plan.size_gib),
                        "BIND": "\n".join(plan.binds),
                    },
                    triggers=[self.server_id],
                ),
                afterwards,
            )
            for plan, volume in args.berth.volumes
        ]
        if args.registries is None:
            return [prepare, *mounts]
        registries = RemoteScript(
            f"{name}-registries",
            RemoteScriptArgs(
                host=self.host,
                script="registries-configure",
                variables={"REGISTRIES": args.registries},
                triggers=[self.server_id],
            ),
            # Only order: containerd and the hosts entries come with the preparation.
            pulumi.ResourceOptions(parent=self, depends_on=[prepare]),
        )
        return [prepare, *mounts, registries]


def _block_devices(
    image_id: pulumi.Input[str], volumes: list[blockstorage.Volume]
) -> list[compute.InstanceBlockDeviceArgs]:
    """The image's disk, and the data volumes from the first moment on: they leave with the machine, and nobody ever
    detaches one from a machine that runs."""
    boot = compute.InstanceBlockDeviceArgs(
        source_type="image",
        destination_type="local",
        uuid=image_id,
        boot_index=0,
        delete_on_termination=True,
    )
    return [
        boot,
        *(
            compute.InstanceBlockDeviceArgs(
                source_type="volume",
                destination_type="volume",
                uuid=volume.id,
                boot_index=-1,
                delete_on_termination=False,
            )
            for volume in volumes
        ),
    ]
