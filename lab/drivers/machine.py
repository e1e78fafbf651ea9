"""A server's machine: a systemd system in namespaces of its own, kept in one directory."""

import contextlib
import os
import signal
import time
from pathlib import Path

import eventlet

from lab.drivers.commands import run
from lab.inside import places, settled

HERE = Path(__file__).parent
START_LIMIT_S = 30.0
# What systemd takes for the power button of a container.
HALT = signal.SIGRTMIN + 3


class Machine:
    """`<instances>/<uuid>`: disk, volumes, console and the process id of its init."""

    def __init__(self, uuid: str) -> None:
        self.uuid = uuid
        self.directory = places.INSTANCES / uuid
        # Fifteen characters are the limit of other names in there; ours stays readable next to them.
        self.netns = f"vm-{uuid[:11]}"

    @property
    def pid(self) -> int:
        return settled.init_of(self.uuid)

    @property
    def exists(self) -> bool:
        return self.directory.is_dir()

    def write_limits(self, memory_mib: int, vcpus: int) -> None:
        (self.directory / "limits").write_text(f"{memory_mib} {vcpus}\n")

    def write_volumes(self, volumes: list[tuple[str, str, int, int]]) -> None:
        """Device name, volume id, major and minor number: present before the machine's first process runs."""
        lines = "".join(f"{name} {volume} {major} {minor}\n" for name, volume, major, minor in volumes)
        (self.directory / "volumes").write_text(lines)

    def start(self) -> None:
        (self.directory / "pid").unlink(missing_ok=True)
        run(str(HERE / "machine-launch"), self.uuid, self.netns, str(self.directory))
        until = time.time() + START_LIMIT_S
        while not self.pid and time.time() < until:
            eventlet.sleep(0.05)
        if not self.pid:
            console = (self.directory / "console.log").read_text(errors="replace")[-500:]
            message = f"starting machine {self.uuid}: its init did not appear: {console}"
            raise RuntimeError(message)

    def stop(self, grace_s: float) -> None:
        """Halt cleanly (file systems unmounted, services stopped); after the grace time pull the plug."""
        if grace_s:
            self._signal(HALT)
            until = time.time() + grace_s
            while self.pid and time.time() < until:
                eventlet.sleep(0.2)
        while self.pid:
            self.thaw()  # a frozen process does not even die
            self._signal(signal.SIGKILL)
            eventlet.sleep(0.05)

    def _signal(self, number: int) -> None:
        # Read once: between two looks it may end, and process 0 means everybody, the compute service included.
        pid = self.pid
        if pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def freeze(self) -> None:
        run(str(HERE / "cgroup"), "freeze", self.uuid)

    def thaw(self) -> None:
        run(str(HERE / "cgroup"), "thaw", self.uuid)

    def remove_cgroups(self) -> None:
        run(str(HERE / "cgroup"), "remove", self.uuid, check=False)

    # ---- volumes of a running machine; one that does not run gets them when it starts
    def show_volume(self, name: str, volume_id: str, device: tuple[int, int]) -> None:
        self.hide_volume(name, volume_id)
        nodes = self._devices()
        if nodes:
            os.mknod(nodes / name, 0o060660, os.makedev(*device))
            by_id = nodes / "disk" / "by-id"
            by_id.mkdir(parents=True, exist_ok=True)
            (by_id / link_name(volume_id)).symlink_to(f"../../{name}")

    def hide_volume(self, name: str, volume_id: str) -> None:
        nodes = self._devices()
        if nodes:
            (nodes / name).unlink(missing_ok=True)
            (nodes / "disk" / "by-id" / link_name(volume_id)).unlink(missing_ok=True)

    def _devices(self) -> Path | None:
        pid = self.pid
        return Path(f"/proc/{pid}/root/dev") if pid else None


def link_name(volume_id: str) -> str:
    """As udev names a virtio disk: its serial number is the start of the volume's id."""
    return f"virtio-{volume_id[:20]}"
