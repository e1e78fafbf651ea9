"""The lab's process 1 as the host sees it: whether it lives, what it says, and how to get inside."""

import hashlib
import json
import os
import pwd
from pathlib import Path
from typing import Any

from lab import paths
from lab.errors import LabError

USUAL_NAME = "nodewright-lab"
# What programs inside find, whatever the caller's own environment is.
ENVIRONMENT = {
    "HOME": "/root",
    "LC_ALL": "C.UTF-8",
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "PYTHONPATH": "/opt/nodewright",
    "PYTHONWARNINGS": "ignore",
    "TERM": "dumb",
}


def name() -> str:
    """Names the lab's network namespace and cgroups. A lab in an unusual cache has another, so both can run at once."""
    home = paths.home()
    # Not $HOME: with another one the cache is another, and so must the name be.
    if home == Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache" / "nodewright" / "lab":
        return USUAL_NAME
    return f"{USUAL_NAME}-{hashlib.sha256(str(home).encode()).hexdigest()[:8]}"


def netns() -> Path:
    return Path("/run/netns") / name()


def pid() -> int:
    """Process 1 of the lab, 0 when the lab is down (the start time tells it from a later namesake)."""
    try:
        number, started = (paths.run() / "pid").read_text().split()
        with open(f"/proc/{number}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except (OSError, ValueError):
        return 0
    return int(number) if fields[0] != "Z" and fields[19] == started else 0


def require_pid() -> int:
    found = pid()
    if not found:
        message = "the lab is down; start it with: bin/lab up"
        raise LabError(message)
    return found


def status() -> dict[str, Any]:
    """What the supervisor wrote last; empty when it has not written yet."""
    try:
        found: dict[str, Any] = json.loads((paths.run() / "status.json").read_text())
    except (OSError, ValueError):
        return {}
    return found


def inside(*command: str) -> list[str]:
    """The command line that runs a program in the lab's root and all of its namespaces."""
    clean = ["/usr/bin/env", "-i", "--chdir=/", f"LAB_NAME={name()}", *(f"{k}={v}" for k, v in ENVIRONMENT.items())]
    return ["nsenter", "-t", str(require_pid()), "-m", "-n", "-p", "-u", "-i", *clean, *command]
