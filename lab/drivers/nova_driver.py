"""Nova virt driver: what Nova asks of a hypervisor, answered with a system container for each server."""

import contextlib
import os
import shutil
import subprocess
from pathlib import Path

import eventlet
import nova.conf
import os_resource_classes as orc
from nova import exception
from nova.api.metadata import base as instance_metadata
from nova.compute import power_state, task_states
from nova.objects import fields
from nova.virt import configdrive, driver, hardware, images
from oslo_log import log as logging
from oslo_serialization import jsonutils

from lab.drivers import loops, name_servers, wiring
from lab.drivers.commands import run
from lab.drivers.disk import Disk
from lab.drivers.machine import Machine
from lab.inside import places

CONF = nova.conf.CONF
LOG = logging.getLogger(__name__)

BASE = places.INSTANCES / "_base"
STUB = b"#labroot "
# For flavors that leave the size of the disk to the image.
USUAL_DISK_GIB = 10
# Nova names its own time for a stop; a soft reboot has none.
HALT_S = 30
CONSOLE_BYTES = 50_000


def machine_of(instance) -> Machine:
    return Machine(instance.uuid)


def disk_of(instance) -> Disk:
    return Disk(Machine(instance.uuid).directory)


class LabDriver(driver.ComputeDriver):
    capabilities = {  # noqa: RUF012 (Nova's own shape)
        "has_imagecache": False,
        "supports_attach_interface": True,
        "supports_device_tagging": True,
        "supports_tagged_attach_interface": True,
        "supports_tagged_attach_volume": True,
        "supports_extend_volume": True,
        "supports_multiattach": True,
        "supports_evacuate": False,
        "supports_migrate_to_same_host": True,
        "supports_image_type_raw": True,
        "supports_image_type_qcow2": False,
    }

    def init_host(self, host):
        self.host = host
        BASE.mkdir(parents=True, exist_ok=True)

    # ---- what there is
    def list_instance_uuids(self):
        """Of this host only; a server that says no host is older than the other hosts."""
        directories = [path for path in places.INSTANCES.iterdir() if path != BASE]
        return [path.name for path in directories if (read(path / "host") or CONF.host) == self.host]

    def list_instances(self):
        return self.list_instance_uuids()

    def get_info(self, instance, use_cache=True):
        machine = machine_of(instance)
        if not machine.exists:
            raise exception.InstanceNotFound(instance_id=instance.uuid)
        if not machine.pid:
            return hardware.InstanceInfo(state=power_state.SHUTDOWN)
        # Nova remembers whether it paused a server; to its eyes a frozen machine runs, as a hung one would.
        paused = instance.vm_state == "paused"
        return hardware.InstanceInfo(state=power_state.PAUSED if paused else power_state.RUNNING)

    def instance_on_disk(self, instance):
        return disk_of(instance).image.exists()

    # ---- making a server
    def spawn(
        self, context, instance, image_meta, injected_files, admin_password, allocations,
        network_info=None, block_device_info=None, power_on=True, accel_info=None,
    ):  # fmt: skip
        disk = disk_of(instance)
        disk.create(self._lower(context, image_meta), instance.flavor.root_gb or USUAL_DISK_GIB)
        self._note_host(disk)
        self._write_config_drive(instance, disk, injected_files, admin_password, network_info)
        addresses = name_servers.of(context, network_info)
        disk.write("etc/resolv.conf", "".join(f"nameserver {address}\n" for address in addresses))
        waited_for = [("network-vif-plugged", vif["id"]) for vif in network_info or [] if vif.get("active") is False]
        try:
            with self.virtapi.wait_for_instance_event(instance, waited_for, deadline=CONF.vif_plugging_timeout):
                self.plug_vifs(instance, network_info)
                if power_on:
                    self._start(instance, block_device_info)
        except eventlet.timeout.Timeout:
            if CONF.vif_plugging_is_fatal:
                self.destroy(context, instance, network_info, block_device_info)
                raise exception.VirtualInterfaceCreateException() from None

    def _note_host(self, disk):
        (disk.directory / "host").write_text(self.host)

    def _lower(self, context, image_meta) -> str:
        """The image's read-only directory: a stub names it, a raw ext4 file is mounted."""
        path = BASE / image_meta.id
        if not path.exists():
            unfinished = path.with_suffix(".unfinished")
            images.IMAGE_API.download(context, image_meta.id, dest_path=str(unfinished))
            unfinished.rename(path)
        with path.open("rb") as file:
            head = file.read(4096)
        if head.startswith(STUB):
            return head.split()[1].decode()
        mounted = path.with_suffix(".mounted")
        mounted.mkdir(exist_ok=True)
        if not os.path.ismount(mounted):
            run("mount", "-o", "loop,ro", str(path), str(mounted))
        return str(mounted)

    def _write_config_drive(self, instance, disk, injected_files, admin_password, network_info):
        metadata = instance_metadata.InstanceMetadata(
            instance,
            content=injected_files or [],
            network_info=network_info,
            extra_md={"admin_pass": admin_password} if admin_password else {},
        )
        seed = disk.upper / "var/lib/cloud/seed/config_drive"
        shutil.rmtree(seed, ignore_errors=True)
        with configdrive.ConfigDriveBuilder(instance_md=metadata) as builder:
            builder._write_md_files(str(seed))  # a file system image around it would be taken off again
        name = instance.hostname or instance.uuid
        disk.write("etc/hostname", f"{name}\n")
        disk.write("etc/hosts", f"127.0.0.1 localhost\n127.0.1.1 {name}\n::1 localhost ip6-localhost\n")
        disk.write("etc/machine-id", instance.uuid.replace("-", "") + "\n")
        for directory in ("var", "var/lib", "var/lib/cloud", "var/lib/cloud/seed", "etc"):
            (disk.upper / directory).chmod(0o755)

    # ---- power
    def _start(self, instance, block_device_info):
        machine, disk = machine_of(instance), disk_of(instance)
        if not os.path.ismount(disk.mounted):
            disk.grow(instance.flavor.root_gb or USUAL_DISK_GIB)
        disk.mount()
        machine.write_limits(instance.flavor.memory_mb, instance.flavor.vcpus)
        volumes = []
        for mapping in driver.block_device_info_get_mapping(block_device_info):
            volume_id = volume_of(mapping["connection_info"])
            device = loops.show(loops.volume_file(volume_id))
            name = os.path.basename(mapping["mount_device"])
            volumes.append((name, volume_id, *loops.numbers(device)))
        machine.write_volumes(volumes)
        machine.start()

    def power_off(self, instance, timeout=0, retry_interval=0):
        machine_of(instance).stop(timeout)

    def power_on(self, context, instance, network_info, block_device_info=None, accel_info=None):
        self.plug_vifs(instance, network_info)
        if not machine_of(instance).pid:
            self._start(instance, block_device_info)

    def reboot(
        self, context, instance, network_info, reboot_type, block_device_info=None,
        bad_volumes_callback=None, accel_info=None,
    ):  # fmt: skip
        machine_of(instance).stop(HALT_S if reboot_type == "SOFT" else 0)
        self.power_on(context, instance, network_info, block_device_info)

    def resume_state_on_host_boot(self, context, instance, network_info, block_device_info=None):
        self.power_on(context, instance, network_info, block_device_info)

    def pause(self, instance):
        machine_of(instance).freeze()

    def unpause(self, instance):
        machine_of(instance).thaw()

    # ---- the end of a server
    def destroy(
        self, context, instance, network_info, block_device_info=None, destroy_disks=True, destroy_secrets=True
    ):
        machine_of(instance).stop(0)
        self.cleanup(context, instance, network_info, block_device_info, destroy_disks)

    def cleanup(
        self, context, instance, network_info, block_device_info=None, destroy_disks=True,
        migrate_data=None, destroy_vifs=True, destroy_secrets=True,
    ):  # fmt: skip
        machine, disk = machine_of(instance), disk_of(instance)
        self.unplug_vifs(instance, network_info)
        wiring.remove(machine.netns)
        disk.unmount()
        machine.remove_cgroups()
        for mapping in driver.block_device_info_get_mapping(block_device_info):
            wait_while_stuck(volume_of(mapping["connection_info"]))
        if destroy_disks:
            disk.remove()

    # ---- network
    def plug_vifs(self, instance, network_info):
        wiring.plug_all(machine_of(instance).netns, network_info or [])

    def unplug_vifs(self, instance, network_info):
        for vif in network_info or []:
            wiring.unplug(vif)

    def attach_interface(self, context, instance, image_meta, vif):
        wiring.plug(machine_of(instance).netns, vif)

    def detach_interface(self, context, instance, vif):
        wiring.unplug(vif)

    def network_binding_host_id(self, context, instance):
        """Ports of every host's servers are wired by the one agent that there is."""
        return CONF.host

    def manages_network_binding_host_id(self):
        """Nova must not mend a port of another host's server: to its eyes it is bound to the wrong one."""
        return self.host != CONF.host

    # ---- volumes
    def default_root_device_name(self, instance, image_meta, root_bdm):
        return "/dev/vda"  # so that volumes become /dev/vdb and on

    def attach_volume(
        self, context, connection_info, instance, mountpoint, disk_bus=None, device_type=None, encryption=None
    ):
        volume_id = volume_of(connection_info)
        device = loops.show(loops.volume_file(volume_id))
        machine_of(instance).show_volume(os.path.basename(mountpoint), volume_id, loops.numbers(device))

    def detach_volume(self, context, connection_info, instance, mountpoint, encryption=None):
        volume_id = volume_of(connection_info)
        wait_while_stuck(volume_id)
        machine_of(instance).hide_volume(os.path.basename(mountpoint), volume_id)

    def extend_volume(self, context, connection_info, instance, requested_size):
        """The volume driver has told the loop device already."""

    def get_volume_connector(self, instance):
        return {
            "ip": CONF.my_ip,
            "initiator": "lab",
            "host": CONF.host,
            "platform": "x86_64",
            "os_type": "linux",
        }

    # ---- resize: all hosts are this machine, so nothing moves; the flavor changes, and the host's name
    def migrate_disk_and_power_off(
        self, context, instance, dest, flavor, network_info, block_device_info=None, timeout=0, retry_interval=0
    ):
        self.power_off(instance, timeout)
        disk_of(instance).unmount()
        return "{}"

    def finish_migration(
        self, context, migration, instance, disk_info, network_info, image_meta, resize_instance, allocations,
        block_device_info=None, power_on=True,
    ):  # fmt: skip
        self._note_host(disk_of(instance))
        if power_on:
            self.power_on(context, instance, network_info, block_device_info)

    def finish_revert_migration(
        self, context, instance, network_info, migration, block_device_info=None, power_on=True
    ):
        self._note_host(disk_of(instance))
        if power_on:
            self.power_on(context, instance, network_info, block_device_info)

    def confirm_migration(self, context, migration, instance, network_info):
        """Nothing was left behind on another host."""

    def check_instance_shared_storage_local(self, context, instance):
        """Nothing to compare: every host keeps its servers in this same place, so none is to be deleted in a revert."""

    # ---- the rest of what users see
    def set_admin_password(self, instance, new_pass):
        enter = ["nsenter", "-t", str(machine_of(instance).pid), "-a", "chpasswd"]
        subprocess.run(enter, input=f"root:{new_pass}".encode(), check=True)

    def snapshot(self, context, instance, image_id, update_task_state):
        update_task_state(task_state=task_states.IMAGE_PENDING_UPLOAD)
        kept = BASE / f"snapshot-{image_id}"
        run("cp", "-a", "--reflink=auto", f"{disk_of(instance).root}/.", str(kept))
        for data, target in data_directories(machine_of(instance).directory, kept):
            target.mkdir(parents=True, exist_ok=True)
            run("cp", "-a", "--reflink=auto", f"{data}/.", str(target))
        update_task_state(
            task_state=task_states.IMAGE_UPLOADING, expected_state=task_states.IMAGE_PENDING_UPLOAD
        )
        stub = kept.with_suffix(".stub")
        stub.write_bytes(STUB + str(kept).encode() + b"\n")
        description = {
            "disk_format": "raw", "container_format": "bare", "status": "active", "name": None, "properties": {},
        }  # fmt: skip
        with stub.open("rb") as file:
            images.IMAGE_API.update(context, image_id, description, file, purge_props=False)

    def get_console_output(self, context, instance):
        disk = disk_of(instance)
        output = b""
        for path in (disk.directory / "console.log", disk.upper / "var/log/cloud-init-output.log"):
            with contextlib.suppress(FileNotFoundError):
                output += path.read_bytes()[-CONSOLE_BYTES:]
        return output

    # ---- the host
    def get_available_nodes(self, refresh=False):
        return [self.host]

    def get_available_resource(self, nodename):
        return {
            "vcpus": os.cpu_count(),
            "memory_mb": memory_mib(),
            "local_gb": disk_gib(),
            "vcpus_used": 0,
            "memory_mb_used": 0,
            "local_gb_used": 0,
            "disk_available_least": shutil.disk_usage(places.INSTANCES).free >> 30,
            "hypervisor_type": "lab",
            "hypervisor_version": 1000,
            "hypervisor_hostname": nodename,
            "cpu_info": jsonutils.dumps({"arch": "x86_64"}),
            "numa_topology": None,
            "supported_instances": [(fields.Architecture.X86_64, fields.HVType.FAKE, fields.VMMode.HVM)],
        }

    def update_provider_tree(self, provider_tree, nodename, allocations=None):
        ratios = self._get_allocation_ratios(provider_tree.data(nodename).inventory)
        totals = {orc.VCPU: os.cpu_count(), orc.MEMORY_MB: memory_mib(), orc.DISK_GB: disk_gib()}
        # The largest server is not bounded by this one machine's processors: it gets their time, not their number.
        inventory = {
            resource: {
                "total": total,
                "min_unit": 1,
                "max_unit": max(total, 16),
                "step_size": 1,
                "reserved": 0,
                "allocation_ratio": ratios[resource],
            }
            for resource, total in totals.items()
        }
        provider_tree.update_inventory(nodename, inventory)

    def get_host_ip_addr(self):
        return CONF.my_ip

    def get_host_uptime(self):
        return run("uptime")


def read(path: Path) -> str:
    with contextlib.suppress(FileNotFoundError):
        return path.read_text()
    return ""


def volume_of(connection_info) -> str:
    return connection_info["data"]["volume_id"]


def wait_while_stuck(volume_id: str) -> None:
    """`lab fault volume stick`: a storage that does not let go of a volume."""
    while (places.STUCK_VOLUMES / volume_id).exists():
        eventlet.sleep(0.5)


def data_directories(directory: Path, target: Path):
    """Directories that lie beside the overlay root because overlays cannot be stacked."""
    for beside in (directory / "data", directory / "disk" / "data"):
        for data in beside.glob("[a-z]*"):
            yield data, target / "var/lib" / data.name


def memory_mib() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20


def disk_gib() -> int:
    return shutil.disk_usage(places.INSTANCES).total >> 30
