"""The built root directories, looked at before any machine starts from them."""

import itertools
import time
from pathlib import Path

import pytest

from lab import images
from lab.images import recipe, store
from lab.images.container_archive import with_libraries

pytestmark = pytest.mark.lab

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


def inodes(root: Path) -> set[int]:
    """The files of a root that its scripts and services write in place."""
    paths = (path for folder in ("etc", "var") for path in (root / folder).rglob("*"))
    return {path.stat().st_ino for path in paths if path.is_file() and not path.is_symlink()}


def test_files_that_are_written_in_place_are_not_shared(roots: dict[str, Path]) -> None:
    owners = [*roots.values(), *store.folder().glob("layer-*")]
    assert len(owners) > len(NAMES)
    for one, other in itertools.combinations(owners, 2):
        assert inodes(one)
        assert inodes(one).isdisjoint(inodes(other)), f"{one} and {other}"


def test_second_call_takes_no_time(roots: dict[str, Path]) -> None:
    started = time.monotonic()
    assert images.ensure(NAMES) == roots
    assert time.monotonic() - started < 2


def test_a_linked_program_brings_its_libraries(roots: dict[str, Path]) -> None:
    files = with_libraries(roots[NODE], "/bin/cp")
    assert "/bin/cp" in files
    assert any("libc.so" in path for path in files)
    assert all(source.is_file() and not source.is_symlink() for source in files.values())
