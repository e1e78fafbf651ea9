"""Cinder volume driver: a volume is a sparse file that the one compute host sees as a loop device."""

import shutil
from pathlib import Path

from cinder import exception, interface
from cinder.image import image_utils
from cinder.volume import driver, volume_utils

from lab.drivers import loops
from lab.drivers.commands import CommandError, run
from lab.inside import places

# A sparse file takes what was written to it; the offer is larger than the disk.
OVERSUBSCRIPTION = 20


def resize(path: Path, gib: int) -> None:
    with path.open("ab") as file:
        file.truncate(gib << 30)


def copy(source: Path, target: Path, gib: int) -> None:
    try:
        run("cp", "--sparse=always", "--reflink=auto", str(source), str(target))
    except CommandError as error:
        raise exception.VolumeBackendAPIException(data=str(error)) from error
    resize(target, gib)


@interface.volumedriver
class LabVolumes(driver.VolumeDriver):
    VERSION = "1.0"
    CI_WIKI_NAME = "none"

    def check_for_setup_error(self):
        places.VOLUMES.mkdir(parents=True, exist_ok=True)

    def local_path(self, volume):
        return str(self._file(volume))

    def _file(self, volume_or_snapshot) -> Path:
        return places.VOLUMES / volume_or_snapshot.name

    # ---- volumes and snapshots
    def create_volume(self, volume):
        self._file(volume).touch()
        resize(self._file(volume), volume.size)

    def delete_volume(self, volume):
        file = self._file(volume)
        if file.exists():
            loops.hide(file)
            file.unlink()

    def extend_volume(self, volume, new_size):
        resize(self._file(volume), new_size)
        device = loops.of(self._file(volume))
        if device:
            run("losetup", "--set-capacity", device)

    def create_cloned_volume(self, volume, src_vref):
        copy(self._file(src_vref), self._file(volume), volume.size)

    def create_snapshot(self, snapshot):
        copy(self._file(snapshot.volume), self._file(snapshot), snapshot.volume_size)

    def delete_snapshot(self, snapshot):
        self._file(snapshot).unlink(missing_ok=True)

    def create_volume_from_snapshot(self, volume, snapshot):
        copy(self._file(snapshot), self._file(volume), volume.size)

    def copy_image_to_volume(self, context, volume, image_service, image_id, disable_sparse=False):
        image_utils.fetch_to_raw(
            context, image_service, image_id, self.local_path(volume), "1M", size=volume.size
        )
        resize(self._file(volume), volume.size)

    def copy_volume_to_image(self, context, volume, image_service, image_meta):
        volume_utils.upload_volume(context, image_service, image_meta, self.local_path(volume), volume)

    # ---- attachments: the loop device is the connection, the volume's id finds it again
    def ensure_export(self, context, volume):
        pass

    def create_export(self, context, volume, connector):
        pass

    def remove_export(self, context, volume):
        pass

    def initialize_connection(self, volume, connector):
        device = loops.show(self._file(volume))
        return {"driver_volume_type": "local", "data": {"device_path": device, "volume_id": volume.id}}

    def terminate_connection(self, volume, connector, **kwargs):
        attached = [each for each in volume.volume_attachment or [] if each.attach_status == "attached"]
        if len(attached) <= 1:
            loops.hide(self._file(volume))

    def _update_volume_stats(self):
        usage = shutil.disk_usage(places.VOLUMES)
        self._stats = {
            "volume_backend_name": self.configuration.safe_get("volume_backend_name") or "lab",
            "vendor_name": "lab",
            "driver_version": self.VERSION,
            "storage_protocol": "local",
            "total_capacity_gb": usage.total >> 30,
            "free_capacity_gb": usage.free >> 30,
            "reserved_percentage": 0,
            "QoS_support": False,
            "multiattach": True,
            "thin_provisioning_support": True,
            "thick_provisioning_support": False,
            "max_over_subscription_ratio": OVERSUBSCRIPTION,
            "provisioned_capacity_gb": 0,
        }
