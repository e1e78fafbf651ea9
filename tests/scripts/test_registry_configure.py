"""registry-configure and registry-collect with the real registry, from the package of the lab's machines."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster import certificates
from tests.image_archives import registry_program
from tests.scripts.registry_machine import (
    HOST,
    PASSWORD,
    SECRET,
    configure,
    install,
    registry_machine,
    starts,
)
from tests.scripts.rendering import step
from tests.scripts.sandbox import Sandbox

pytestmark = pytest.mark.lab_host  # the packages come with the lab's images


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Sandbox]:
    with registry_machine(tmp_path) as made:
        made.shell("useradd --system docker-registry")
        install(made, "/usr/bin/docker-registry", registry_program().read_bytes())
        yield made


def test_it_serves_with_login_and_tls_and_a_second_run_changes_nothing(machine: Sandbox) -> None:
    first = configure(machine)
    assert (first.stdout, first.returncode) == ("changed\n", 0), first.stderr
    again = configure(machine)
    assert (again.stdout, again.returncode) == ("unchanged\n", 0), again.stderr
    assert starts(machine) == 1
    assert PASSWORD not in machine.shell("cat /etc/nodewright/registry/*")
    assert machine.shell("stat --format '%a %G' /etc/nodewright/registry/tls.key") == "640 docker-registry\n"


def test_another_password_counts_from_then_on(machine: Sandbox) -> None:
    assert configure(machine).returncode == 0
    changed = configure(machine, PASSWORD="another")
    assert (changed.stdout, changed.returncode) == ("changed\n", 0), changed.stderr
    assert configure(machine, PASSWORD="another").stdout == "unchanged\n"


def test_a_login_that_another_program_wrote_is_kept(machine: Sandbox) -> None:
    assert configure(machine).returncode == 0
    # "pw", as htpasswd hashes it
    written = "nodewright:$2y$05$KDp1TE1Fm0UJtyTqJ.1zb..uNuantcAwFF6Rdyv5Ei5N9tn1G6tW6"
    machine.shell(f"printf '%s\\n' '{written}' >/etc/nodewright/registry/htpasswd")
    kept = configure(machine, PASSWORD="pw")
    assert (kept.stdout, kept.returncode) == ("unchanged\n", 0), kept.stderr


def test_a_key_of_another_certificate_changes_nothing(machine: Sandbox) -> None:
    other = certificates.registry_certificate(SECRET, "demo", HOST, "10.20.0.9", 1)
    done = configure(machine, KEY=other.key)
    assert done.returncode == 1
    assert "does not belong to its certificate" in done.stderr
    assert "PRIVATE" not in done.stderr
    assert machine.shell("ls /etc/nodewright/registry 2>/dev/null || true") == ""


def test_nothing_is_written_beside_a_volume(machine: Sandbox) -> None:
    machine.shell("umount /srv/registry")
    done = configure(machine)
    assert done.returncode == 1
    assert "no volume is mounted" in done.stderr


def test_a_collection_is_done_once_and_pushes_are_allowed_again(machine: Sandbox) -> None:
    assert configure(machine).returncode == 0
    empty = machine.run(step("registry-collect", COLLECTION="1"), "registry-collect")
    assert (empty.stdout, empty.returncode) == ("unchanged\n", 0), empty.stderr
    for folder in ("blobs", "repositories"):
        machine.shell(f"install -d -o docker-registry /srv/registry/images/docker/registry/v2/{folder}")
    first = machine.run(step("registry-collect", COLLECTION="1"), "registry-collect")
    assert (first.stdout, first.returncode) == ("changed\n", 0), first.stderr
    assert machine.shell("tail -n 1 /run/registry.starts").strip().endswith("/config.yml")
    assert machine.shell("ls /etc/nodewright/registry/read-only.yml 2>/dev/null || true") == ""
    again = machine.run(step("registry-collect", COLLECTION="1"), "registry-collect")
    assert (again.stdout, again.returncode) == ("unchanged\n", 0), again.stderr
