"""The road from module source: real Go, one tiny program."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.toolchain.toolbox import supply, write_pins
from toolchain import ToolchainError
from toolchain.cache import Manifest, fault_in
from toolchain.catalog import HERE

# A shell that starts jobs in the background lets them ignore Ctrl-C; the interruption tested here must arrive.
CALL = """
import signal
import sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)
from toolchain.catalog import Catalog
from toolchain.supply import Supply
from toolchain.errors import ToolchainError
try:
    print(Supply(Catalog.load(Path(sys.argv[1])), Path(sys.argv[2]), "build").ensure([])["greeter"])
except ToolchainError as error:
    sys.exit(str(error))
"""
SLOW_GO = """#!/bin/sh
case "$1" in build) echo $$ > {mark}; sleep {seconds} ;; esac
exec {go} "$@"
"""


def call(directory: Path, path: str = "") -> subprocess.Popen[str]:
    """Another process that wants the greeter."""
    pins = write_pins(directory / "pins")
    environment = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}" if path else os.environ["PATH"]}
    command = [sys.executable, "-c", CALL, str(pins), str(directory / "cache")]
    environment["PYTHONPATH"] = str(HERE.parent)
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def slow_go(directory: Path, seconds: float) -> Path:
    """A directory with a `go` that takes its time before it builds, and leaves a mark when it begins."""
    real = shutil.which("go")
    script = directory / "slow" / "bin" / "go"
    script.parent.mkdir(parents=True)
    script.write_text(SLOW_GO.format(go=real, mark=directory / "mark", seconds=seconds))
    script.chmod(0o755)
    return script.parent


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not appear"
        time.sleep(0.05)


def test_a_program_is_built_at_its_pinned_version(tmp_path: Path) -> None:
    directory = supply(tmp_path).ensure(["greeter"])["greeter"]
    said = subprocess.run([directory / "bin" / "greeter"], capture_output=True, text=True, check=True)
    assert said.stdout == "greeter 1.0.0\n"
    manifest = Manifest.read(directory)
    assert manifest is not None
    assert (manifest.road, manifest.version) == ("build", "1.0.0")


def test_a_second_call_makes_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    first = supply(tmp_path).ensure([])
    capfd.readouterr()
    started = time.monotonic()
    assert supply(tmp_path).ensure([]) == first
    assert time.monotonic() - started < 2
    assert capfd.readouterr().err == ""


def test_changed_source_has_another_directory(tmp_path: Path) -> None:
    first = supply(tmp_path).ensure([])["greeter"]
    here = supply(tmp_path)
    main = here.catalog.modules / "greeter" / "main.go"
    main.write_text(main.read_text().replace('"greeter"', '"greeter", ""+'))
    assert here.present(here.catalog.items["greeter"]) is None
    assert first.exists()


def test_a_test_file_of_a_module_changes_nothing(tmp_path: Path) -> None:
    here = supply(tmp_path)
    first = here.ensure([])["greeter"]
    (here.catalog.modules / "greeter" / "main_test.go").write_text("package main\n")
    assert here.present(here.catalog.items["greeter"]) == first


class Damage(NamedTuple):
    """Something that goes wrong on a disk, and what is said of it."""

    name: str
    command: str
    sentence: str


DAMAGES = [
    Damage("shortened", "truncate -s 100 bin/greeter", "has 100 bytes instead of"),
    Damage("removed", "rm bin/greeter", "is missing"),
    Damage("no manifest", "rm manifest.json", "has no readable manifest"),
    Damage("half a manifest", "truncate -s 40 manifest.json", "has no readable manifest"),
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.name)
def test_a_damaged_item_is_made_again(tmp_path: Path, damage: Damage, capfd: pytest.CaptureFixture[str]) -> None:
    directory = supply(tmp_path).ensure([])["greeter"]
    subprocess.run(damage.command, shell=True, cwd=directory, check=True)
    capfd.readouterr()
    assert supply(tmp_path).ensure([])["greeter"] == directory
    assert fault_in(directory, thorough=True) is None
    assert damage.sentence in capfd.readouterr().err


def test_changed_content_of_the_same_size_is_found_by_verify(tmp_path: Path) -> None:
    directory = supply(tmp_path).ensure([])["greeter"]
    binary = directory / "bin" / "greeter"
    content = bytearray(binary.read_bytes())
    content[-1] ^= 1
    binary.write_bytes(content)
    assert fault_in(directory) is None
    assert fault_in(directory, thorough=True) == "bin/greeter does not have the content it was made with"


def test_a_half_written_directory_counts_for_nothing(tmp_path: Path) -> None:
    here = supply(tmp_path)
    half = tmp_path / "cache" / "toolchain" / "greeter" / ".partial-left" / "out" / "bin"
    half.mkdir(parents=True)
    (half / "greeter").write_text("half")
    assert here.present(here.catalog.items["greeter"]) is None
    here.ensure([])
    assert not half.exists()


def test_a_killed_call_leaves_nothing_and_the_next_one_goes_on(tmp_path: Path) -> None:
    victim = call(tmp_path, str(slow_go(tmp_path, 3)))
    wait_for(tmp_path / "mark")
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    here = supply(tmp_path)
    assert here.present(here.catalog.items["greeter"]) is None
    directory = here.ensure([])["greeter"]
    assert fault_in(directory, thorough=True) is None
    assert [path.name for path in directory.parent.glob(".partial-*")] == []


def test_an_interrupted_call_ends_its_build(tmp_path: Path) -> None:
    victim = call(tmp_path, str(slow_go(tmp_path, 60)))
    wait_for(tmp_path / "mark")
    victim.send_signal(signal.SIGINT)
    victim.communicate(timeout=20)
    builder = int((tmp_path / "mark").read_text())
    assert not Path(f"/proc/{builder}").exists()


def test_of_two_calls_at_once_one_builds_and_the_other_says_whom_it_waits_for(tmp_path: Path) -> None:
    slow = str(slow_go(tmp_path, 2))
    first = call(tmp_path, slow)
    wait_for(tmp_path / "mark")
    second = call(tmp_path, slow)
    said = [process.communicate(timeout=120) for process in (first, second)]
    assert said[0][0] == said[1][0] != ""
    assert f"waiting for process {first.pid}" in said[1][1]
    assert "building" not in said[1][1]


def test_a_failed_build_names_item_module_last_lines_and_log(tmp_path: Path) -> None:
    here = supply(tmp_path)
    (here.catalog.modules / "greeter" / "main.go").write_text("package main\n\nfunc main() { undefinedThing() }\n")
    with pytest.raises(ToolchainError) as caught:
        here.ensure([])
    sentence = str(caught.value)
    for part in ("greeter 1.0.0", "module modules/greeter", "undefined: undefinedThing", "What to do:", "greeter.log"):
        assert part in sentence


def test_an_unreachable_module_proxy_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOPROXY", "http://127.0.0.1:9")
    monkeypatch.setattr("toolchain.build.FETCH_TRIES", 1)
    here = supply(tmp_path)
    module = here.catalog.modules / "greeter"
    (module / "go.mod").write_text("module example.org/greeter\n\ngo 1.21\n\nrequire example.org/gone v1.0.0\n")
    (module / "go.sum").write_text(
        f"example.org/gone v1.0.0 h1:{'A' * 43}=\nexample.org/gone v1.0.0/go.mod h1:{'A' * 43}=\n"
    )
    (module / "main.go").write_text('package main\n\nimport _ "example.org/gone"\n\nfunc main() {}\n')
    with pytest.raises(ToolchainError, match="the module proxy could not be reached; check the network and GOPROXY"):
        here.ensure([])


def test_a_program_that_says_another_version_is_refused(tmp_path: Path) -> None:
    here = supply(tmp_path)
    pins = (tmp_path / "pins" / "versions.toml").read_text()
    assert 'expect = "greeter 1.0.0"' in pins
    spoiled = supply(tmp_path, extra="", version="1.0.0")
    main = spoiled.catalog.modules / "greeter" / "main.go"
    main.write_text(main.read_text().replace("main.version", "").replace('"greeter", version', '"greeter", "0.9"'))
    with pytest.raises(ToolchainError, match=r"checking greeter: .* says 'greeter 0.9.*but 'greeter 1.0.0' is pinned"):
        spoiled.ensure([])
    assert here.present(here.catalog.items["greeter"]) is None


def test_a_full_disk_is_said_before_anything_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = shutil.disk_usage(tmp_path)._replace(free=1 << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: tiny)
    with pytest.raises(
        ToolchainError, match=r"building greeter .*: 0.0 GiB are free on the disk of .*, about 0.01 GiB are needed"
    ):
        supply(tmp_path).ensure([])


def test_an_unknown_item_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="looking for the item greter: .*known are go, greeter, all"):
        supply(tmp_path).ensure(["greter"])
