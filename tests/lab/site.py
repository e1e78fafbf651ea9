"""Servers, volumes and rules for the tests of the lab itself."""

from collections.abc import Mapping
from typing import Any

from tests.lab.kubeadm_by_hand import Machine, Site, wait_for


class LabSite(Site):
    """A site whose servers may have any flavor and volumes from their first moment."""

    @property
    def network_name(self) -> str:
        """The name of its network, and of the network's subnet."""
        return self._name

    def create(self, name: str, *, volumes: tuple[str, ...] = (), image: str = "debian-12") -> Machine:
        """A server that answers over SSH."""
        machine = self.reserve(name)
        self.order(machine, volumes=volumes, image=image)
        self.wait_until_usable(machine)
        return machine

    def order(
        self,
        machine: Machine,
        *,
        volumes: tuple[str, ...] = (),
        image: str = "debian-12",
        flavor: str = "m1.small",
        hints: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        """Ask for a server and wait for nothing."""
        image_id = self._cloud.image.find_image(image, ignore_missing=False).id
        root = {"boot_index": 0, "uuid": image_id, "source_type": "image", "destination_type": "local"}
        data = [
            {"boot_index": -1, "uuid": volume, "source_type": "volume", "destination_type": "volume"}
            for volume in volumes
        ]
        server = self._cloud.compute.create_server(
            name=machine.name,
            image_id=image_id,
            flavor_id=self._cloud.compute.find_flavor(flavor, ignore_missing=False).id,
            key_name=self._name,
            networks=[{"port": machine.port_id}],
            block_device_mapping=[root | {"delete_on_termination": True}, *data],
            scheduler_hints=dict(hints or {}),
            **more,
        )
        self._servers[machine.name] = server.id
        self._cleanup.callback(self._delete_server, server.id)

    def server(self, machine: Machine) -> Any:
        return self._cloud.compute.get_server(self._servers[machine.name])

    def wait_for_status(self, machine: Machine, status: str, timeout_s: float = 60) -> None:
        wait_for(timeout_s, f"{machine.name} to be {status}", lambda: self.status(machine) == status)

    def create_volume(self, name: str, gib: int = 1) -> str:
        storage = self._cloud.block_storage
        volume = storage.create_volume(name=name, size=gib)
        self._cleanup.callback(self._delete_volume, volume.id)
        self.wait_for_volume(volume.id, "available")
        return str(volume.id)

    def wait_for_volume(self, volume_id: str, status: str, timeout_s: float = 60) -> None:
        storage = self._cloud.block_storage
        wait_for(timeout_s, f"the volume to be {status}", lambda: storage.get_volume(volume_id).status == status)

    def attach(self, machine: Machine, volume_id: str) -> None:
        self._cloud.compute.create_volume_attachment(self._servers[machine.name], volume_id=volume_id)
        self.wait_for_volume(volume_id, "in-use")

    def detach(self, machine: Machine, volume_id: str) -> None:
        self._cloud.compute.delete_volume_attachment(self._servers[machine.name], volume_id)

    def open_port(self, number: int) -> None:
        self._cloud.network.create_security_group_rule(
            security_group_id=self._security_group.id,
            direction="ingress",
            ethertype="IPv4",
            protocol="tcp",
            port_range_min=number,
            port_range_max=number,
        )

    def _delete_volume(self, volume_id: str) -> None:
        storage = self._cloud.block_storage
        self.wait_for_volume(volume_id, "available")
        storage.delete_volume(volume_id, ignore_missing=True)
        wait_for(60, "the volume to be deleted", lambda: storage.find_volume(volume_id) is None)
