"""A server's root file system: the image's directory below, a disk of the flavor's size above."""

import os
import shutil
from pathlib import Path

from lab.drivers.commands import run

# A small journal and few inodes: a disk of 20 GiB takes 30 MiB before anything is written to it.
FORMAT = ("mkfs.ext4", "-q", "-F", "-m", "0", "-i", "65536", "-J", "size=8", "-E", "lazy_itable_init=1,nodiscard")


class Disk:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.image = directory / "disk.img"
        self.mounted = directory / "disk"
        self.root = directory / "root"

    @property
    def upper(self) -> Path:
        """What the server wrote; the config drive's files are put here before it starts."""
        return self.mounted / "upper"

    def create(self, lower: str, gib: int) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        (self.directory / "lower").write_text(lower)
        if not self.image.exists():
            self.image.touch()
            os.truncate(self.image, gib << 30)
            run(*FORMAT, str(self.image))
        self.mount()

    def grow(self, gib: int) -> None:
        """Only while it is not mounted: growing online needs a capability that containers lack."""
        if self.image.stat().st_size < gib << 30:
            os.truncate(self.image, gib << 30)
            run("e2fsck", "-f", "-p", str(self.image), check=False)
            run("resize2fs", str(self.image))

    def mount(self) -> None:
        for path in (self.mounted, self.root):
            path.mkdir(exist_ok=True)
        if not os.path.ismount(self.mounted):
            run("mount", "-o", "loop,noinit_itable", str(self.image), str(self.mounted))
        for name in ("upper", "work", "data"):
            (self.mounted / name).mkdir(exist_ok=True)
        if not os.path.ismount(self.root):
            lower = (self.directory / "lower").read_text()
            layers = f"lowerdir={lower},upperdir={self.upper},workdir={self.mounted}/work"
            run("mount", "-t", "overlay", "overlay", "-o", layers, str(self.root))

    def unmount(self) -> None:
        for path in (self.root, self.mounted):
            if os.path.ismount(path):
                run("umount", "-l", str(path), check=False)

    def write(self, path: str, text: str) -> None:
        file = self.upper / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def remove(self) -> None:
        self.unmount()
        shutil.rmtree(self.directory, ignore_errors=True)
