"""registry-unpack on a machine without any package of a registry, with the real registry in an image archive."""

import hashlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.settings import image_archive
from cluster.settings.image_archive import find_program
from lab.images.container_archive import ContainerImage, write_archive
from tests.image_archives import registry_program, write_oci_archive
from tests.scripts.registry_machine import configure, install, registry_machine, starts
from tests.scripts.rendering import step
from tests.scripts.sandbox import Sandbox

pytestmark = pytest.mark.lab_host  # the registry comes with the lab's images

TARGET = "/usr/local/bin/docker-registry"
ARCHIVE = "/root/nodewright-registry.tar"
PLATFORM = "linux/amd64"


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Sandbox]:
    (tmp_path / "machine").mkdir()
    with registry_machine(tmp_path / "machine") as made:
        made.shell("userdel docker-registry 2>/dev/null || true")
        yield made


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(image_archive, "ROOT", tmp_path)
    return tmp_path / "registry.tar"


def sent(machine: Sandbox, archive: Path) -> dict[str, str]:
    """Bring the archive to the machine; give what the step is told of it."""
    install(machine, ARCHIVE, archive.read_bytes())
    found = find_program(archive.name, "registry")
    # A relative path is below the home of who logged in, as for sudo.
    told = {"ARCHIVE": Path(ARCHIVE).name, "LAYER": found.layer, "PROGRAM": found.path}
    return {**told, "PROGRAM_SHA256": found.sha256}


def unpack(machine: Sandbox, **variables: str) -> "subprocess.CompletedProcess[str]":
    return machine.run(step("registry-unpack", **variables), "registry-unpack")


def test_it_serves_out_of_an_archive_and_another_archive_restarts_it_once(machine: Sandbox, archive: Path) -> None:
    write_archive(ContainerImage(reference="registry:2", files={"/bin/registry": registry_program()}), archive)
    given = sent(machine, archive)
    first = unpack(machine, **given)
    assert (first.stdout, first.returncode) == ("changed\n", 0), first.stderr
    assert machine.shell("id --user --name docker-registry") == "docker-registry\n"
    assert machine.shell(f"stat --format '%a %U' {TARGET}; ls -A /var/lib/nodewright") == "755 root\n"
    again = unpack(machine, **given)
    assert (again.stdout, again.returncode) == ("unchanged\n", 0), again.stderr
    for wanted in ("changed\n", "unchanged\n"):
        served = configure(machine)
        assert (served.stdout, served.returncode) == (wanted, 0), served.stderr
    assert starts(machine) == 1

    # Bytes behind the end of a program do not hurt it.
    another = registry_program().read_bytes() + b"\0"
    write_oci_archive(archive, {PLATFORM: [{"bin/registry": b"old"}, {"bin/registry": another}]})
    newer = sent(machine, archive)
    changed = unpack(machine, **newer)
    assert (changed.stdout, changed.returncode) == ("changed\n", 0), changed.stderr
    assert starts(machine) == 1
    for wanted in ("changed\n", "unchanged\n"):
        served = configure(machine)
        assert (served.stdout, served.returncode) == (wanted, 0), served.stderr
    assert starts(machine) == 2

    # What was unpacked needs its archive no more.
    machine.shell(f"rm {ARCHIVE}")
    assert unpack(machine, **newer).stdout == "unchanged\n"


def test_what_cannot_be_unpacked_is_said_and_changes_nothing(machine: Sandbox, archive: Path) -> None:
    machine.write(TARGET, "#!/bin/sh\necho serving", mode="0755")
    before = machine.shell(f"cat {TARGET}")
    write_oci_archive(archive, {PLATFORM: [{"bin/registry": b"for another machine"}]})
    given = sent(machine, archive)
    other = hashlib.sha256(b"another").hexdigest()
    for changes, said in (
        ({"ARCHIVE": "gone.tar"}, "/root/gone.tar is not on this machine"),
        ({"LAYER": "gone"}, "tar says"),
        ({"PROGRAM": "gone"}, "tar says"),
        ({"PROGRAM_SHA256": other}, "holds another program than the stack's archive"),
        ({}, "does not run here"),
    ):
        done = unpack(machine, **{**given, **changes})
        assert done.returncode == 1
        assert said in done.stderr
    assert machine.shell(f"cat {TARGET}") == before
    assert machine.shell("ls -A /var/lib/nodewright; id --user docker-registry 2>/dev/null || true") == ""


def prepare(machine: Sandbox, **variables: str) -> "subprocess.CompletedProcess[str]":
    wanted = {"ROLE": "registry", "KUBERNETES_VERSION": "1.34.3", "HTTP_PROXY": "", "HTTPS_PROXY": "", "NO_PROXY": ""}
    return machine.run(step("machine-prepare", **{**wanted, "PACKAGE_SOURCE": "", "HOSTS_ENTRIES": "", **variables}))


def test_with_an_archive_no_package_source_is_asked_and_what_is_missing_is_said(machine: Sandbox) -> None:
    machine.write("/usr/local/sbin/apt-get", "#!/bin/sh\necho asked >>/run/apt.log\nexit 1", mode="0755")
    prepared = prepare(machine, REGISTRY_FROM_ARCHIVE="yes")
    assert (prepared.stdout, prepared.returncode) == ("unchanged\n", 0), prepared.stderr
    machine.shell("rm --force $(type -aP curl)")
    refused = prepare(machine, REGISTRY_FROM_ARCHIVE="yes")
    assert refused.returncode == 1
    assert "no curl on this machine" in refused.stderr
    assert machine.shell("cat /run/apt.log 2>/dev/null || true") == ""
    assert prepare(machine).returncode == 1
    assert "asked" in machine.shell("cat /run/apt.log")
