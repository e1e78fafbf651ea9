"""OpenStack's own Debian root directory, built once from Debian's packages and never changed afterwards."""

import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from lab import lock, paths
from lab.errors import LabError

SUITE = "bookworm"
PACKAGES = paths.PACKAGE / "packages.txt"
# Documentation is a quarter of the files and nobody reads it in there.
EXCLUDED = ("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/locale/*", "/usr/share/info/*")
# Settings of the host's apt that decide whether a download works at all.
KEPT_APT_SETTINGS = ("acquire::http::proxy", "acquire::https::proxy", "acquire::check-valid-until")
# Package scripts must not start services in a chroot.
NO_SERVICES = 'printf "#!/bin/sh\\nexit 101\\n" >"$1/usr/sbin/policy-rc.d"; chmod 755 "$1/usr/sbin/policy-rc.d"'


def packages() -> list[str]:
    lines = PACKAGES.read_text().splitlines()
    return [word for line in lines if not line.startswith("#") for word in line.split()]


def key() -> str:
    """Changes when the list of packages or the way they are installed changes."""
    return hashlib.sha256("\n".join(recipe()).encode()).hexdigest()[:12]


def directory() -> Path:
    return paths.home() / f"root-{key()}"


def ensure(say: Callable[[str], None]) -> Path:
    """Build the root directory unless it exists; say what happens."""
    target = directory()
    if target.is_dir():
        return target
    with lock.held(paths.home() / "root.lock", say, "another build of OpenStack's root directory"):
        if not target.is_dir():
            build(target, say)
    return target


def build(target: Path, say: Callable[[str], None]) -> None:
    """Install into a temporary name and rename: a half-written root is never taken for a whole one."""
    started = time.monotonic()
    unfinished = target.with_name(target.name + ".unfinished")
    if unfinished.exists():
        shutil.rmtree(unfinished)
    log = paths.logs() / "root-build.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    unfinished.mkdir(parents=True)
    say(f"building OpenStack's root directory from Debian packages (some minutes, log: {log})")
    with log.open("wb") as sink:
        done = subprocess.run(  # noqa: S603 (fixed program, own arguments)
            command(unfinished),
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env=os.environ | {"TMPDIR": str(paths.home()), "DEBIAN_FRONTEND": "noninteractive"},
            check=False,
        )
    if done.returncode != 0:
        last = log.read_text(errors="replace").splitlines()[-3:]
        message = f"building OpenStack's root directory: mmdebstrap failed: {' | '.join(last)}; whole log: {log}"
        raise LabError(message)
    unfinished.rename(target)
    say(f"OpenStack's root directory is built ({time.monotonic() - started:.0f} s)")


def recipe() -> list[str]:
    """The part of the build that decides what the root holds."""
    return [
        "mmdebstrap",
        "--mode=root",
        "--format=directory",
        "--variant=minbase",
        "--include=" + ",".join(packages()),
        "--aptopt=APT::Install-Recommends false",
        "--dpkgopt=force-unsafe-io",
        *(f"--dpkgopt=path-exclude={pattern}" for pattern in EXCLUDED),
        f"--essential-hook={NO_SERVICES}",
        SUITE,
    ]


def command(target: Path) -> list[str]:
    *options, suite = recipe()
    download = [f"--aptopt={setting}" for setting in host_apt_settings()]
    return [*options, *download, suite, str(target), *host_apt_sources()]


def host_apt_sources() -> list[str]:
    """The host's own Debian sources, so that a mirror or proxy chosen there serves the lab, too.

    Empty on another distribution: mmdebstrap then takes Debian's public mirror.
    """
    folder = Path("/etc/apt")
    candidates = [folder / "sources.list", *sorted((folder / "sources.list.d").glob("debian*"))]
    fitting = (".list", ".sources")
    return [str(file) for file in candidates if file.suffix in fitting and file.is_file() and SUITE in file.read_text()]


def host_apt_settings() -> list[str]:
    dump = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=False).stdout  # noqa: S607
    return [line.rstrip(";") for line in dump.splitlines() if line.split(" ", 1)[0].lower() in KEPT_APT_SETTINGS]


def remove_older(current: Path) -> None:
    """Roots of earlier package lists are two gigabytes each. Only while no lab runs: it could run in one of them."""
    for other in current.parent.glob("root-*"):
        if other.is_dir() and other != current:
            shutil.rmtree(other)
    for databases in (current.parent / "databases").glob("root-*.sql"):
        if databases.stem != current.name:
            databases.unlink()
