"""machine-prepare on a plain Debian, with packages from a source that the test makes."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scripts import package_source
from tests.scripts.rendering import step
from tests.scripts.sandbox import Sandbox


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with package_source.serve(tmp_path_factory.mktemp("packages"), ("1.34.3", "1.34.5")) as url:
        yield url


@pytest.fixture
def machine(sandbox: Sandbox, tmp_path: Path) -> Sandbox:
    """A container without Kubernetes, whose only package source is the one it is given."""
    sandbox.write("/usr/local/sbin/systemd-detect-virt", "#!/bin/sh\nexit 0", mode="0755")
    sandbox.shell("rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /usr/bin/containerd /etc/containerd")
    return sandbox


def prepare(machine: Sandbox, **variables: str) -> "subprocess.CompletedProcess[str]":
    wanted = {"ROLE": "node", "KUBERNETES_VERSION": "1.34.3", "HTTP_PROXY": "", "HTTPS_PROXY": "", "NO_PROXY": ""}
    return machine.run(step("machine-prepare", **{**wanted, "PACKAGE_SOURCE": "", "HOSTS_ENTRIES": "", **variables}))


def prepared_image(machine: Sandbox) -> None:
    """What a prebaked image brings along, without any package."""
    for name in package_source.PROGRAMS:
        program = package_source.PROGRAMS[name].format(version="1.34.3")
        machine.write(f"/usr/local/bin/{name}", f"#!/bin/sh\n{program}", mode="0755")
    machine.write("/etc/containerd/config.toml", 'config_path = "/etc/containerd/certs.d"')
    machine.write("/usr/local/sbin/sysctl", "#!/bin/sh\necho 1", mode="0755")


def test_plain_machine_gets_exactly_the_version_once(machine: Sandbox, source: str) -> None:
    first = prepare(machine, PACKAGE_SOURCE=source)
    assert (first.stdout, first.returncode) == ("changed\n", 0), first.stderr
    assert machine.shell("kubelet --version; apt-mark showhold") == "Kubernetes v1.34.3\nkubeadm\nkubectl\nkubelet\n"
    config = machine.shell("cat /etc/containerd/config.toml")
    assert "/etc/containerd/certs.d" in config
    assert "pause:9.9" in config
    assert "restart containerd" in machine.shell("cat /run/systemctl.log")
    second = prepare(machine, PACKAGE_SOURCE=source)
    assert (second.stdout, second.returncode) == ("unchanged\n", 0), second.stderr


def test_unsigned_source_is_refused(machine: Sandbox, source: str, tmp_path: Path) -> None:
    machine.write("/etc/apt/keyrings/nodewright-kubernetes.asc", "")
    script = step("machine-prepare", ROLE="node", KUBERNETES_VERSION="1.34.3", PACKAGE_SOURCE=source)
    done = machine.run(script.replace("$url/Release.key", "$url/Packages"))
    assert done.returncode == 1
    assert "kubelet" not in machine.shell("dpkg-query --show kubelet 2>/dev/null || echo none")


def test_source_without_a_key_is_named(machine: Sandbox) -> None:
    done = prepare(machine, PACKAGE_SOURCE="http://127.0.0.1:1")
    assert done.returncode == 1
    assert "http://127.0.0.1:1" in done.stderr or "no package list" in done.stderr


def test_version_that_no_source_has_is_named(machine: Sandbox, source: str) -> None:
    done = prepare(machine, PACKAGE_SOURCE=source, KUBERNETES_VERSION="1.34.9")
    assert done.returncode == 1
    assert "kubelet=1.34.9-*" in done.stderr


def test_member_keeps_its_packages_when_the_stack_asks_for_a_newer_version(machine: Sandbox, source: str) -> None:
    prepare(machine, PACKAGE_SOURCE=source)
    machine.write("/etc/kubernetes/kubelet.conf", "a member")
    done = prepare(machine, PACKAGE_SOURCE=source, KUBERNETES_VERSION="1.34.5")
    assert (done.stdout, done.returncode) == ("unchanged\n", 0), done.stderr
    assert "comes with its replacement" in done.stderr
    assert machine.shell("kubelet --version") == "Kubernetes v1.34.3\n"


def test_prebaked_image_is_left_as_it_is(machine: Sandbox) -> None:
    prepared_image(machine)
    done = prepare(machine)
    assert (done.stdout, done.returncode) == ("unchanged\n", 0), done.stderr


def test_proxy_reaches_apt_containerd_and_shells_and_goes_again(machine: Sandbox) -> None:
    prepared_image(machine)
    proxy = {
        "HTTP_PROXY": "http://bob:p%40ss@192.0.2.1:3128",
        "HTTPS_PROXY": "http://192.0.2.1:3128",
        "NO_PROXY": "10.0.0.0/8,.svc",
    }
    done = prepare(machine, **proxy)
    assert done.stdout == "changed\n", done.stderr
    unit = "/etc/systemd/system/containerd.service.d/nodewright-proxy.conf"
    assert 'Environment="HTTP_PROXY=http://bob:p%%40ss@192.0.2.1:3128"' in machine.shell(f"cat {unit}")
    assert machine.shell(f"stat --format %a {unit} /etc/apt/apt.conf.d/80nodewright-proxy") == "600\n600\n"
    assert machine.shell("apt-config dump Acquire::http::Proxy").strip().endswith('"http://bob:p%40ss@192.0.2.1:3128";')
    assert machine.shell(". /etc/profile.d/nodewright-proxy.sh; echo $no_proxy") == "10.0.0.0/8,.svc\n"
    assert machine.shell("grep -c 'restart containerd' /run/systemctl.log") == "1\n"
    assert prepare(machine, **proxy).stdout == "unchanged\n"
    assert prepare(machine).stdout == "changed\n"
    assert prepare(machine).stdout == "unchanged\n"
    assert machine.shell(f"ls {unit} /etc/apt/apt.conf.d/80nodewright-proxy 2>/dev/null || true") == ""


def test_hosts_entries_are_kept_up_to_date(machine: Sandbox) -> None:
    prepared_image(machine)
    assert prepare(machine, HOSTS_ENTRIES="192.0.2.9 registry.example").stdout == "changed\n"
    assert prepare(machine, HOSTS_ENTRIES="192.0.2.9 registry.example").stdout == "unchanged\n"
    assert "192.0.2.9 registry.example" in machine.shell("cat /etc/hosts")
