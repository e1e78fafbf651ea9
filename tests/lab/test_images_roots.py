"""The built root directories, looked at before any machine starts from them."""

import time
from pathlib import Path

import pytest

from lab import images
from lab.images import recipe

NODE = "node-1.34.3"
NAMES = ("debian-12", NODE)


@pytest.fixture(scope="module")
def roots() -> dict[str, Path]:
    return images.ensure(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_the_machine_that_built_it_is_left(roots: dict[str, Path], name: str) -> None:
    etc = roots[name] / "etc"
    assert list((etc / "ssh").glob("ssh_host_*")) == []
    assert (etc / "machine-id").read_text() == ""
    assert (etc / "resolv.conf").read_text() == ""
    assert (etc / "hostname").read_text() == "localhost\n"
    assert not (roots[name] / "usr/sbin/policy-rc.d").exists()


@pytest.mark.parametrize("name", NAMES)
def test_units_that_have_no_place_in_a_machine_are_masked(roots: dict[str, Path], name: str) -> None:
    masked = recipe.IMAGES[name].masked_units
    assert masked
    for unit in masked:
        assert str((roots[name] / "etc/systemd/system" / unit).readlink()) == "/dev/null"


def test_what_a_node_runs_is_enabled_and_what_roles_need_waits(roots: dict[str, Path]) -> None:
    wanted = {path.name for path in (roots[NODE] / "etc/systemd/system").glob("*.wants/*")}
    assert {"ssh.service", "containerd.service", "kubelet.service"} <= wanted
    assert wanted.isdisjoint(recipe.DISABLED_NODE_UNITS)
    for program in ("haproxy", "keepalived"):
        assert (roots[NODE] / "usr/sbin" / program).exists()


def test_node_says_which_kubernetes_it_carries_and_the_plain_image_none(roots: dict[str, Path]) -> None:
    assert (roots[NODE] / "etc/nodewright-image").read_text() == f"IMAGE={NODE}\nKUBERNETES_VERSION=1.34.3\n"
    assert (roots["debian-12"] / "etc/nodewright-image").read_text() == "IMAGE=debian-12\n"
    assert not (roots["debian-12"] / "usr/bin/kubelet").exists()


def test_files_that_are_written_in_place_are_not_shared_between_images(roots: dict[str, Path]) -> None:
    looked_at = 0
    for name in NAMES:
        for folder in ("etc", "var"):
            for path in (roots[name] / folder).rglob("*"):
                if path.is_file() and not path.is_symlink():
                    looked_at += 1
                    # A server's containerd shares what it only reads with its image.
                    shared_on_purpose = path.is_relative_to(roots[name] / "var/lib/containerd")
                    assert path.stat().st_nlink == 1 or shared_on_purpose, path
    assert looked_at > 0


def test_second_call_takes_no_time(roots: dict[str, Path]) -> None:
    started = time.monotonic()
    assert images.ensure(NAMES) == roots
    assert time.monotonic() - started < 2
