"""registry-configure and registry-collect with the real registry, from the package of the lab's machines."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster import certificates, registry_config
from lab.images import store
from tests.examples import planned, raw
from tests.scripts.rendering import step
from tests.scripts.sandbox import Sandbox

pytestmark = pytest.mark.lab_host  # the packages come with the lab's images

SECRET = "not-a-secret-but-long-enough-for-one"
HOST = "registry.demo.internal"
PASSWORD = 'a "pass\\word'
FILES = (
    *("/usr/bin/docker-registry", "/usr/bin/htpasswd"),
    *("/usr/lib/x86_64-linux-gnu/libaprutil-1.so.0", "/usr/lib/x86_64-linux-gnu/libapr-1.so.0"),
)
# What systemd does with this unit, as far as the scripts can tell.
SYSTEMCTL = r"""#!/bin/bash
case "$*" in
  is-enabled* | is-active*) [[ -e /run/registry.pid ]] ;;
  restart*)
    if [[ -e /run/registry.pid ]]; then kill "$(cat /run/registry.pid)" 2>/dev/null; sleep 0.3; fi
    for drop in /etc/systemd/system/docker-registry.service.d /run/systemd/system/docker-registry.service.d; do
      run=$(sed -n 's/^ExecStart=\(..*\)/\1/p' "$drop"/*.conf 2>/dev/null) && [[ -n $run ]] && command=$run
    done
    echo "$command" >>/run/registry.starts
    for number in {3..30}; do eval "exec $number>&-"; done # a unit does not hold the lock of who started it
    setsid runuser --user docker-registry -- $command </dev/null >>/var/log/registry.log 2>&1 &
    echo $! >/run/registry.pid
    ;;
esac
"""


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Sandbox]:
    images = sorted(store.folder().glob("node-1.34.3-*/usr/bin/docker-registry"))
    assert images, "the lab has no image of a node yet; run bin/lab up"
    image = images[-1].parents[2]
    with Sandbox(tmp_path, own_network=True) as made:
        made.shell("ip link set lo up; useradd --system docker-registry")
        for path in FILES:
            content = (image / path.lstrip("/")).resolve().read_bytes()
            (tmp_path / "upper" / path.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([*made._enter, "install", "-m", "0755", "/dev/stdin", path], input=content, check=True)
        made.shell("mkdir -p /srv/registry && mount -t tmpfs images /srv/registry")
        made.write("/usr/local/sbin/systemctl", SYSTEMCTL, "0755")
        yield made


def configure(machine: Sandbox, **changes: str) -> "subprocess.CompletedProcess[str]":
    plan = planned(raw({"registry": {"flavor": "s", "volume-gib": 5}})).registry
    assert plan
    made = certificates.registry_certificate(SECRET, "demo", HOST, "10.20.0.9", 0)
    variables = {
        "CONFIG": registry_config.render(plan, mount_point="/srv/registry", http_secret="x"),
        "REGISTRY_HOST": HOST,
        "PORT": "5000",
        "MOUNT_POINT": "/srv/registry",
        "USERNAME": "nodewright",
        "PASSWORD": PASSWORD,
        "CERTIFICATE": made.certificate,
        "KEY": made.key,
        "CA": certificates.registry_ca(SECRET, "demo"),
    }
    return machine.run(step("registry-configure", **{**variables, **changes}), "registry-configure")


def starts(machine: Sandbox) -> int:
    return len(machine.shell("cat /run/registry.starts").splitlines())


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
