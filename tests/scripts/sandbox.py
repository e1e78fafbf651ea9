"""A throw-away machine for one test: this machine's files under an overlay, in namespaces of its own."""

import os
import subprocess
from pathlib import Path
from types import TracebackType

import pytest

SETUP = r"""
set -o errexit
mount -t tmpfs -o size=512m sandbox "$1"
mkdir "$1"/upper "$1"/work "$1"/root
mount -t overlay -o lowerdir=/,upperdir="$1"/upper,workdir="$1"/work sandbox "$1"/root
cd "$1"/root
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t tmpfs run run
mount -t tmpfs dev dev
for node in null zero full urandom; do cp -a /dev/$node dev/; done
ln -s /proc/self/fd dev/fd
ln -s fd/0 dev/stdin
printf '%s' "$2" >usr/local/sbin/systemctl
chmod 0755 usr/local/sbin/systemctl
mkdir -p dev/disk/by-id
echo ready
exec sleep infinity
"""

# Says what it was asked, and remembers what is enabled and active.
SYSTEMCTL = r"""#!/bin/bash
echo "$*" >>/run/systemctl.log
units=/run/systemctl.units
mkdir -p "$units"
for unit; do :; done
case "$*" in
  is-enabled*) [[ -e $units/$unit.enabled ]] ;;
  is-active*) [[ -e $units/$unit.active ]] ;;
  enable*--now*) touch "$units/$unit.enabled" "$units/$unit.active" ;;
  enable*) touch "$units/$unit.enabled" ;;
esac
"""


class Sandbox:
    """Runs scripts as root in a copy of this machine that is gone afterwards."""

    def __init__(self, directory: Path, *, own_network: bool = False) -> None:
        namespaces = ["--mount", "--pid", *(["--net"] if own_network else [])]
        self._keeper = subprocess.Popen(
            ["unshare", *namespaces, "--fork", "--kill-child", "--propagation", "private"]
            + ["bash", "-c", SETUP, "setup", str(directory), SYSTEMCTL],
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
        )
        ns = f"/proc/{self._keeper.pid}/ns"
        self._enter = ["nsenter", f"--mount={ns}/mnt", f"--net={ns}/net", f"--pid={ns}/pid_for_children"]
        self._enter += ["chroot", f"{directory}/root"]
        self._loops: list[str] = []
        assert self._keeper.stdout is not None
        if self._keeper.stdout.readline() != "ready\n":
            self._keeper.stdout.close()
            self._keeper.wait()
            pytest.fail("the sandbox needs root, mount namespaces and overlayfs")

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._keeper.kill()
        self._keeper.wait()
        assert self._keeper.stdout is not None
        self._keeper.stdout.close()
        for loop in self._loops:
            subprocess.run(["losetup", "--detach", loop], check=True)

    def run(self, script: str, name: str = "test-step") -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*self._enter, "bash", "-s", name],
            input=script,
            capture_output=True,
            text=True,
            timeout=120,
            env={"PATH": os.environ["PATH"], "HOME": "/root"},
            check=False,
        )

    def shell(self, command: str) -> str:
        done = self.run(command)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, command: str) -> None:
        """Starts what runs until the sandbox goes."""
        self.shell(f"setsid {command} </dev/null >>/var/log/started.log 2>&1 &")

    def write(self, path: str, text: str, mode: str = "0644") -> None:
        self.shell(f"install -D -m {mode} /dev/stdin {path} <<'END-OF-FILE'\n{text}\nEND-OF-FILE\n")

    def attach_volume(self, volume_id: str, image: Path) -> None:
        """Shows a disk image the way a cloud shows a volume: a disk, and a link that carries the volume's id."""
        loop = subprocess.run(
            ["losetup", "--find", "--show", str(image)], check=True, capture_output=True, text=True
        ).stdout.strip()
        self._loops.append(loop)
        number = os.minor(os.stat(loop).st_rdev)
        self.shell(f"mknod /dev/vdb b 7 {number} && ln -sf ../../vdb /dev/disk/by-id/virtio-{volume_id[:20]}")

    def grow_volume(self, image: Path, size: int) -> None:
        os.truncate(image, size)
        subprocess.run(["losetup", "--set-capacity", self._loops[-1]], check=True)
