"""Where the lab keeps what it makes: all of it below one cache directory."""

from pathlib import Path

import toolchain

PACKAGE = Path(__file__).resolve().parent
PROJECT = PACKAGE.parent


def cache() -> Path:
    """The cache directory that the whole project shares."""
    return toolchain.cache_root()


def home() -> Path:
    """The lab's part of the cache."""
    return cache() / "lab"


def state() -> Path:
    """What survives `lab down`: databases, volumes, servers."""
    return home() / "state"


def run() -> Path:
    """What is true only while the lab is up: pid, status, locks."""
    return home() / "run"


def logs() -> Path:
    return home() / "logs"


def clouds_yaml() -> Path:
    return home() / "clouds.yaml"
