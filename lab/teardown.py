"""`lab down` and `lab reset`: everything the lab made is gone, also when it is half broken."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from lab import alive, lock, paths
from lab.errors import LabError

Say = Callable[[str], None]

# Servers halt and databases close in this time; then the plug is pulled.
GRACE_S = 45.0
KILL_S = 10.0
VISITOR_S = 3.0


def down(say: Say) -> None:
    with lock.held(paths.home() / "up.lock", say, "another `lab up` or `lab down`"):
        number = alive.pid()
        if number:
            say("stopping servers and services")
            end_process(number)
        remove_leftovers()
    say("the lab is down")


def reset(say: Say) -> None:
    down(say)
    for directory in (paths.state(), paths.run(), paths.logs()):
        shutil.rmtree(directory, ignore_errors=True)
    paths.clouds_yaml().unlink(missing_ok=True)
    say("the lab has forgotten everything but its root directory and images")


def end_process(number: int) -> None:
    """Process 1 ends the rest politely; its own death ends whatever remains."""
    for how, limit_s in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, KILL_S)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, how)
        until = time.monotonic() + limit_s
        while time.monotonic() < until:
            if not alive.pid():
                return
            time.sleep(0.1)
    message = f"stopping the lab: process {number} does not die; what it waits for: /proc/{number}/stack"
    raise LabError(message)


def remove_leftovers() -> None:
    """In the order in which one thing holds the other: processes, network, mounts, loop devices, cgroups."""
    kill_strays()
    end_visitors()
    if alive.netns().exists():
        subprocess.run(["ip", "netns", "delete", alive.name()], check=False)
    unmount_strays()
    detach_loops()
    remove_cgroups()
    (paths.run() / "pid").unlink(missing_ok=True)
    shutil.rmtree(paths.run() / "overlay", ignore_errors=True)


def cgroups() -> list[Path]:
    """The lab's cgroup in each hierarchy: every process it ever started is in one of them."""
    top = Path("/sys/fs/cgroup")
    return [path for path in (top / alive.name(), *top.glob(f"*/{alive.name()}")) if path.is_dir()]


def strays() -> set[int]:
    return {
        int(number)
        for group in cgroups()
        for members in group.rglob("cgroup.procs")
        for number in members.read_text().split()
    }


def kill_strays() -> None:
    until = time.monotonic() + KILL_S
    while found := strays():
        for group in cgroups():
            for state in group.rglob("freezer.state"):
                state.write_text("THAWED")  # a frozen process does not even die
        for number in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        if time.monotonic() > until:
            message = f"stopping the lab: these processes do not die: {sorted(found)}"
            raise LabError(message)
        time.sleep(0.1)


def end_visitors() -> None:
    """What `lab exec` started and what still runs would keep the network alive, with nothing in it that answers."""
    if not alive.netns().exists():
        return
    network = alive.netns().stat().st_ino
    for how in (signal.SIGTERM, signal.SIGKILL):
        until = time.monotonic() + VISITOR_S
        while (found := members_of(network)) and time.monotonic() < until:
            for number in found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, how)
            time.sleep(0.1)


def members_of(network: int) -> list[int]:
    """Processes in this network namespace, apart from the one that asks."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "ns" / "net").stat().st_ino == network and int(process.name) != os.getpid():
                found.append(int(process.name))
    return found


def unmount_strays() -> None:
    """There are none unless something entered the lab's mounts into the host's namespace."""
    inner_first = sorted(mounts_below(paths.home()), key=len, reverse=True)
    for place in inner_first:
        subprocess.run(["umount", "--lazy", place], check=False)


def mounts_below(directory: Path) -> Iterator[str]:
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        place = line.split()[4].encode().decode("unicode_escape")
        if place.startswith(f"{directory}/"):
            yield place


def detach_loops() -> None:
    """A busy one goes when the last mount namespace that shows it is gone, which takes the kernel a moment."""
    until = time.monotonic() + KILL_S
    while found := loops():
        for device in found:
            subprocess.run(["losetup", "--detach", device], capture_output=True, check=False)
        if time.monotonic() > until:
            message = f"stopping the lab: loop devices stay busy: {', '.join(found)}"
            raise LabError(message)
        time.sleep(0.1)


def loops() -> list[str]:
    """Loop devices of the lab's files, known by inode: the path that the kernel shows ends at the lab's own root."""
    files = [*(paths.state() / "volumes").glob("*"), *(paths.state() / "nova" / "instances").glob("*/disk.img")]
    known = {(file.stat().st_ino, file.stat().st_dev) for file in files}
    columns = ["losetup", "--list", "--json", "--output", "NAME,BACK-INO,BACK-MAJ:MIN"]
    listed = subprocess.run(columns, capture_output=True, text=True, check=False).stdout
    found = []
    for device in json.loads(listed or "{}").get("loopdevices", []):
        major, minor = device["back-maj:min"].strip().split(":")
        if (int(device["back-ino"]), os.makedev(int(major), int(minor))) in known:
            found.append(device["name"])
    return found


def remove_cgroups() -> None:
    for group in cgroups():
        for path in sorted((path for path in group.rglob("*") if path.is_dir()), reverse=True):
            with contextlib.suppress(OSError):
                path.rmdir()
        with contextlib.suppress(OSError):
            group.rmdir()
