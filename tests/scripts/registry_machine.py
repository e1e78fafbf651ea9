"""A machine for the registry's scripts: the real registry, and what systemd does with its unit."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cluster import certificates, registry_config
from tests.examples import planned, raw
from tests.scripts.rendering import step
from tests.scripts.sandbox import Sandbox

SECRET = "not-a-secret-but-long-enough-for-one"
HOST = "registry.demo.internal"
PASSWORD = 'a "pass\\word'
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


@contextmanager
def registry_machine(directory: Path) -> Iterator[Sandbox]:
    with Sandbox(directory, own_network=True) as made:
        made.shell("ip link set lo up; mkdir -p /srv/registry && mount -t tmpfs images /srv/registry")
        made.write("/usr/local/sbin/systemctl", SYSTEMCTL, "0755")
        yield made


def install(machine: Sandbox, path: str, content: bytes) -> None:
    subprocess.run([*machine._enter, "install", "-D", "-m", "0755", "/dev/stdin", path], input=content, check=True)


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
