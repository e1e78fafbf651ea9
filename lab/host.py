"""What the lab needs of the machine it runs on, checked before anything is touched."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from lab import paths, root
from lab.errors import LabError

Say = Callable[[str], None]

# Command and the Debian package that brings it.
PROGRAMS = {
    "ip": "iproute2",
    "losetup": "mount",
    "nsenter": "util-linux",
    "ssh": "openssh-client",
    "sysctl": "procps",
    "unshare": "util-linux",
}
# Needed once, to build the root directory and the images.
BUILD_PROGRAMS = {"mmdebstrap": "mmdebstrap"}
# Path that exists when the kernel has the feature, and the module that may bring it.
KERNEL = {
    "/dev/loop-control": "loop",
    "/proc/sys/net/bridge": "br_netfilter",
    "/dev/fuse": "fuse",
    "/dev/net/tun": "tun",
}
MODULES = ("overlay", "veth", "ip_set", "nf_tables", "xt_set", "xt_physdev", "vxlan")

FIRST_BUILD_GIB = 12
RUNNING_GIB = 4
MEMORY_GIB = 6
# Each systemd machine takes 6 to 28 of them; Debian's default for the whole machine is 128.
INOTIFY_INSTANCES = 1024
INOTIFY = Path("/proc/sys/fs/inotify/max_user_instances")


def check() -> None:
    """Refuse with everything that is missing, each as a sentence that says what to do."""
    require_root()
    faults = missing_programs() + missing_kernel() + missing_space()
    if faults:
        message = "starting the lab: " + "; ".join(faults)
        raise LabError(message)


def require_root() -> None:
    if os.geteuid() != 0:
        message = "the lab makes namespaces, mounts and network links: run it as root (sudo bin/lab …)"
        raise LabError(message)


def missing_programs() -> list[str]:
    wanted = PROGRAMS if root.directory().is_dir() else PROGRAMS | BUILD_PROGRAMS
    packages = sorted({package for program, package in wanted.items() if not shutil.which(program)})
    return [f"this machine lacks packages; run: apt-get install {' '.join(packages)}"] if packages else []


def missing_kernel() -> list[str]:
    """Load modules where the kernel has them as modules; name what it has not at all."""
    if shutil.which("modprobe"):
        subprocess.run(["modprobe", "--quiet", "--all", *KERNEL.values(), *MODULES], check=False)
    faults = [f"the kernel lacks {module}" for path, module in KERNEL.items() if not Path(path).exists()]
    if "overlay" not in Path("/proc/filesystems").read_text():
        faults.append("the kernel lacks overlay")
    return faults


def missing_space() -> list[str]:
    paths.home().mkdir(parents=True, exist_ok=True)
    wanted_gib = RUNNING_GIB if root.directory().is_dir() else FIRST_BUILD_GIB
    free_gib = shutil.disk_usage(paths.home()).free >> 30
    faults = []
    if free_gib < wanted_gib:
        faults.append(f"{paths.home()} has {free_gib} GiB free and {wanted_gib} are needed; set NODEWRIGHT_CACHE")
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    if memory_gib < MEMORY_GIB:
        faults.append(f"the machine has {memory_gib:.1f} GiB of memory and {MEMORY_GIB} are needed")
    return faults


def raise_inotify_limit(say: Say) -> None:
    """Machine-wide, so never without a word."""
    present = int(INOTIFY.read_text())
    if present >= INOTIFY_INSTANCES:
        return
    say(
        f"raising fs.inotify.max_user_instances from {present} to {INOTIFY_INSTANCES}, for the whole machine and until"
        " it restarts: every server runs a systemd that takes some"
    )
    try:
        INOTIFY.write_text(str(INOTIFY_INSTANCES))
    except OSError as error:
        message = f"raising a kernel limit: {error}; run: sysctl -w fs.inotify.max_user_instances={INOTIFY_INSTANCES}"
        raise LabError(message) from error
