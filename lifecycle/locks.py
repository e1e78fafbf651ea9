"""Who holds a stack: a lock of our own for a whole operation, and the locks that the engine keeps in its backend."""

import fcntl
import hashlib
import json
import os
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lifecycle.errors import Exit, LifecycleError

POLL_S = 1.0
# A clock's coarse tick between a process's start and its first lock.
CLOCK_SLACK_S = 2.0


@dataclass(frozen=True, kw_only=True)
class Lock:
    """A lock of the engine: a file that a killed process leaves behind."""

    pid: int
    user: str
    host: str
    since: datetime

    def __str__(self) -> str:
        """Say who holds it."""
        return f"process {self.pid} of {self.user} on {self.host}, since {self.since:%Y-%m-%d %H:%M:%S}"

    @property
    def is_from_here(self) -> bool:
        """Tell whether its owner would be a process of this machine."""
        return self.host == socket.gethostname()

    @property
    def owner_is_gone(self) -> bool:
        """Tell whether its owner ended; a process that began after the lock was made merely has the same number."""
        if not self.is_from_here:
            return False
        began = _began(self.pid)
        return began is None or began > self.since.timestamp() + CLOCK_SLACK_S


def read_locks(backend_url: str, project: str, stack: str) -> tuple[Lock, ...]:
    """Read the locks of a stack in a `file://` backend; of other backends nothing is known."""
    parts = urlsplit(backend_url)
    if parts.scheme != "file":
        return ()
    root = Path(unquote(parts.netloc + parts.path)).expanduser() / ".pulumi" / "locks"
    folders = (root / "organization" / project / stack, root / stack)
    return tuple(lock for folder in folders for file in sorted(folder.glob("*.json")) if (lock := _read_lock(file)))


@contextmanager
def hold(stack_file: Path, wait_s: float) -> Iterator[None]:
    """Let one operation at a time work on a stack file. The kernel gives the lock back, however the holder ends."""
    path = _own_lock(stack_file)
    with path.open("a+", encoding="utf-8") as stream:
        deadline = time.monotonic() + wait_s
        while not _try(stream.fileno()):
            if time.monotonic() >= deadline:
                stream.seek(0)
                who = stream.read().strip() or "another process"
                text = f"taking {stack_file.name}: {who} works on it; wait, or use --wait"
                raise LifecycleError(Exit.BUSY, text)
            time.sleep(POLL_S)
        stream.seek(0)
        stream.truncate()
        stream.write(f"process {os.getpid()}")
        stream.flush()
        yield


def _own_lock(stack_file: Path) -> Path:
    """Keep it beside no stack file: those folders are in version control, and files in them are replaced."""
    folder = Path(tempfile.gettempdir()) / f"nodewright-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise LifecycleError(Exit.NO_ACCESS, f"taking {stack_file.name}: {folder} belongs to someone else; remove it")
    return folder / hashlib.sha256(str(stack_file.resolve()).encode()).hexdigest()[:16]


def _try(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read_lock(file: Path) -> Lock | None:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return Lock(
            pid=int(content["pid"]),
            user=str(content["username"]),
            host=str(content["hostname"]),
            since=datetime.fromisoformat(_microseconds(str(content["timestamp"]))),
        )
    except FileNotFoundError:
        return None  # its owner finished while we looked


def _microseconds(timestamp: str) -> str:
    """Cut the engine's nanoseconds, which Python does not read."""
    whole, point, rest = timestamp.partition(".")
    if not point:
        return timestamp
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    return f"{whole}.{digits[:6]:0<6}{rest[len(digits) :]}"


def _began(pid: int) -> float | None:
    """Say when a process began, or that there is none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        boot = next(
            line for line in Path("/proc/stat").read_text(encoding="utf-8").splitlines() if line.startswith("btime")
        )
    except (FileNotFoundError, ProcessLookupError):
        return None
    if fields[0] == "Z":
        return None
    return float(boot.split()[1]) + int(fields[19]) / os.sysconf("SC_CLK_TCK")
