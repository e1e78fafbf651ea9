"""Loop devices of volumes: found by the volume's file, never by a number that somebody wrote down earlier."""

import os
from pathlib import Path

from lab.drivers.commands import run
from lab.inside import places


def volume_file(volume_id: str) -> Path:
    return places.VOLUMES / f"volume-{volume_id}"


def of(file: Path) -> str | None:
    """The loop device that shows this file, if there is one."""
    found = run("losetup", "--noheadings", "--output", "NAME", "--associated", str(file)).split()
    return found[0] if found else None


def show(file: Path) -> str:
    """The file's loop device, made when there is none (as after a new start of the lab)."""
    return of(file) or run("losetup", "--find", "--show", str(file)).strip()


def hide(file: Path) -> None:
    device = of(file)
    if device:
        run("losetup", "--detach", device)


def numbers(device: str) -> tuple[int, int]:
    status = os.stat(device)
    return os.major(status.st_rdev), os.minor(status.st_rdev)
