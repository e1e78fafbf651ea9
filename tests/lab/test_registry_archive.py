"""A registry on a machine that has no package of it and reaches no package source: its program comes in an archive."""

from collections.abc import Iterator
from pathlib import Path

import openstack
import pytest

from lab.images.container_archive import ContainerImage, write_archive
from tests.image_archives import registry_program, write_oci_archive
from tests.lab.belongings import held
from tests.lab.conftest import Lab
from tests.lab.lab_stack import ROOT, LabStack
from tests.lab.registry_images import forget, pod, push, server

pytestmark = [
    pytest.mark.lab,
    pytest.mark.long,
    pytest.mark.filterwarnings("ignore:::openstack"),
]  # it warns of its own future

NAME = "unpacked"
NODE = "control-plane-0"
LAST_START = "systemctl show docker-registry --property=InvocationID --value"


class ArchiveStack(LabStack):
    """A control plane and a registry machine of plain Debian."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, "storage", name=NAME, cidr="10.66.0.0/24")
        # A stack names files of its project only.
        self.archive = ROOT / "tests" / "lab" / f"{directory.name}.tar"
        place = str(self.archive.relative_to(ROOT))
        self.change({"workers": None, "storage": None, "registry.image": "debian-12", "registry.archive": place})

    def run_image(self, repository: str) -> None:
        """Pull it anew and run it."""
        self.kubectl("delete", "pod", repository, "--ignore-not-found", "--timeout=90s")
        forget(self, repository, NODE)
        self.apply(pod(repository, f"{server(self)}/{repository}:v1", NODE))
        self.wait_for_pods(repository)


@pytest.fixture(scope="module")
def stack(
    lab: Lab, cloud: openstack.connection.Connection, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ArchiveStack]:
    made = ArchiveStack(tmp_path_factory.mktemp(NAME))
    write_archive(ContainerImage(reference="registry:2", files={"/bin/registry": registry_program()}), made.archive)
    try:
        with made.built():
            yield made
        assert held(cloud, NAME) == set()
        assert not list(cloud.network.networks(name=NAME))
    finally:
        made.archive.unlink(missing_ok=True)


def test_the_registry_runs_and_no_package_was_installed(stack: ArchiveStack) -> None:
    found = stack.run_on(
        "registry", "cat /etc/nodewright-image; command -v docker-registry; systemctl is-active docker-registry"
    )
    assert found.splitlines() == ["IMAGE=debian-12", "/usr/local/bin/docker-registry", "active"]
    installed = stack.run_on("registry", "dpkg-query --show --showformat='${Package}\\n'").split()
    assert len(installed) > 50
    assert not {"docker-registry", "apache2-utils"} & set(installed)


def test_an_image_is_pushed_with_the_login_only_and_runs(stack: ArchiveStack) -> None:
    assert "401" in push(stack, "first", check=False, password="wrong")
    assert "pushed" in push(stack, "first")
    stack.run_image("first")


def test_a_second_up_and_second_steps_change_nothing(stack: ArchiveStack) -> None:
    stack.must_change_nothing()
    for step in ("registry-prepare", "registry-unpack", "registry-configure"):
        assert stack.again(step) == "unchanged", step


def test_another_archive_is_copied_and_served(stack: ArchiveStack) -> None:
    before = stack.run_on("registry", LAST_START)
    # Bytes behind the end of a program do not hurt it.
    another = registry_program().read_bytes() + b"\0"
    write_oci_archive(stack.archive, {"linux/amd64": [{"bin/registry": b"old"}, {"bin/registry": another}]})
    run = stack.must_up()
    parts = [f"updated registry-{part}" for part in ("archive", "configure", "unpack")]
    assert sorted(run.touched("registry")) == parts
    assert stack.run_on("registry", LAST_START) != before
    stack.run_image("first")
    stack.must_change_nothing()


def test_heal_brings_the_registry_back_with_its_images(stack: ArchiveStack) -> None:
    old = stack.server_id("registry")
    stack.change({"registry.heal": {"registry": 1}})
    run = stack.must_up()
    assert stack.server_id("registry") != old
    assert run.touched("registry-archive")
    assert run.touched("registry-unpack")
    assert not run.touched("control-plane")
    stack.run_image("first")
    stack.must_change_nothing()
