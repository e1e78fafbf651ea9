"""One call of the image build: what it says while it works, how it runs a step and keeps a result."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from lab import paths
from lab.errors import LabError
from lab.images import store
from lab.images.recipe import FOLDER

SCRIPTS = FOLDER / "scripts"
HOST_PROGRAMS = {"mmdebstrap": "mmdebstrap", "mount": "mount", "unshare": "util-linux"}


class Workshop:
    """Runs the steps of a build and tells the person who waits."""

    def __init__(self, progress: Callable[[str], None]) -> None:
        self._started = time.monotonic()
        self._progress = progress

    def say(self, text: str) -> None:
        self._progress(f"[{time.monotonic() - self._started:6.1f} s] images: {text}")

    def ensure(self, name: str, key: str, build: Callable[[Path], None]) -> Path:
        """The finished directory of that name and key, built now when there is none."""

        def build_and_say(target: Path) -> None:
            _check_host()
            self.say(f"building {name}")
            started = time.monotonic()
            build(target)
            self.say(f"{name} is built ({time.monotonic() - started:.1f} s)")

        return store.ensure(name, key, build_and_say)

    @contextlib.contextmanager
    def scratch(self) -> Iterator[Path]:
        """A directory that is gone afterwards, on the file system of the results."""
        with tempfile.TemporaryDirectory(prefix=store.SCRATCH, dir=store.folder()) as folder:
            yield Path(folder)

    def run(
        self,
        step: str,
        command: Sequence[str | Path],
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        """Run a command; when it fails, say which step, its last words and where all of them are."""
        log = paths.cache() / "logs" / f"images-{step}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("w") as output:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=os.environ | (environment or {}),
                cwd=folder,
                check=False,
            )
        if done.returncode != 0:
            words = " | ".join(log.read_text(errors="replace").strip().splitlines()[-3:])
            program = Path(command[0]).name
            message = (
                f"building the lab's images, {step}: {program} ended with status {done.returncode}: {words}; "
                f"the whole log is {log}"
            )
            raise LabError(message)


def _check_host() -> None:
    if os.geteuid() != 0:
        message = "building the lab's images: their files belong to many users; run it as root"
        raise LabError(message)
    missing = sorted({package for program, package in HOST_PROGRAMS.items() if shutil.which(program) is None})
    if missing:
        names = " ".join(missing)
        message = f"building the lab's images: {names} not installed; run: apt-get install {names}"
        raise LabError(message)
