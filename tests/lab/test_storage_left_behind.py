"""Data outlives its cluster: what stays in the cloud is named, and another stack takes it over."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import openstack
import pytest

from lifecycle import operations, ticket
from tests.lab.belongings import held
from tests.lab.conftest import Lab
from tests.lab.kubeadm_by_hand import wait_for
from tests.lab.lab_stack import ROOT, LabStack
from tests.lab.storage_pods import claim, pod

pytestmark = [pytest.mark.lab, pytest.mark.long]

FIRST, HEIR = "bequest", "heir"
WORDS = "written by the first cluster"


class SmallStack(LabStack):
    """A control plane and a storage machine; in a project of its own, so that `nodewright` may work on it, too."""

    def __init__(self, directory: Path, name: str, cidr: str) -> None:
        self.project = directory
        (directory / "stacks").mkdir()
        shutil.copy(ROOT / "Pulumi.yaml", directory)
        (directory / ".venv").symlink_to(ROOT / ".venv")
        super().__init__(directory / "stacks", "storage", name=name, cidr=cidr)
        self.change(
            {
                "workers": None,
                "registry": None,
                "storage.exports": [{"directory": "/volume/nfs", "to": cidr}],
                "storage.persistent-volumes": [
                    {"name": "shared", "size-gib": 1, "path": "/volume/nfs/shared", "storage-class": "nfs"}
                ],
            }
        )

    @property
    def environment(self) -> dict[str, str]:
        return self._environment

    def use(self, name: str, *arguments: str) -> str:
        """Let a pod that claims the volume do one thing; give what it says."""
        self.apply(claim("data", "shared"), pod(name, "data", *arguments, node="control-plane-0"))
        phase = ("get", "pod", name, "--output=jsonpath={.status.phase}")
        wait_for(90, f"pod {name} to end", lambda: self.kubectl(*phase) == "Succeeded")
        return self.kubectl("logs", name)


@dataclass(frozen=True)
class LeftBehind:
    """What a cluster left, and what was said of it before."""

    volume_id: str
    said: str
    belongings: set[str]


@pytest.fixture(scope="module")
def left_behind(
    lab: Lab, cloud: openstack.connection.Connection, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LeftBehind]:
    stack = SmallStack(tmp_path_factory.mktemp(FIRST), FIRST, "10.63.0.0/24")
    stack.change({"storage.keep-volumes": None})  # kept unless one says otherwise
    volume_id = ""
    try:
        stack.must_up()
        volume_id = stack.outputs()["volumes"]["storage-data"]["id"]
        stack.use("author", "put", "/data/note", WORDS)
        with pytest.MonkeyPatch.context() as environment:
            for name, value in stack.environment.items():
                environment.setenv(name, value)
            gone = operations.destroy(operations.Options(stack=FIRST, project=stack.project))
        assert gone.ticket
        yield LeftBehind(volume_id=volume_id, said=ticket.text(gone.ticket), belongings=held(cloud, FIRST))
    finally:
        assert stack.destroy().ok
        if volume_id and cloud.block_storage.find_volume(volume_id):
            cloud.block_storage.delete_volume(volume_id)


@pytest.fixture(scope="module")
def heir(left_behind: LeftBehind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabStack]:
    stack = SmallStack(tmp_path_factory.mktemp(HEIR), HEIR, "10.64.0.0/24")
    adopted = {"name": "data", "size-gib": 1, "mount-to": "/volume", "adopt": left_behind.volume_id}
    stack.change({"storage.volumes": [adopted]})
    with stack.built():
        yield stack


def test_destroy_leaves_the_data_and_nothing_else(left_behind: LeftBehind) -> None:
    assert left_behind.belongings == {f"volume {left_behind.volume_id}"}


def test_destroy_says_how_to_adopt_and_how_to_remove_what_it_leaves(left_behind: LeftBehind) -> None:
    assert f"volume storage-data, {left_behind.volume_id}" in left_behind.said
    assert f"`adopt: {left_behind.volume_id}`" in left_behind.said
    assert f"`openstack volume delete {left_behind.volume_id}`" in left_behind.said


def test_the_cloud_lists_what_was_left_by_the_name_of_the_cluster(left_behind: LeftBehind, lab: Lab) -> None:
    listed = lab("openstack", "volume", "list", "--long").stdout.splitlines()
    named = [line for line in listed if f"nodewright-cluster='{FIRST}'" in line]
    assert len(named) == 1
    assert left_behind.volume_id in named[0]


def test_a_new_stack_adopts_the_volume_and_finds_its_data(left_behind: LeftBehind, heir: SmallStack) -> None:
    assert heir.outputs()["volumes"]["storage-data"]["id"] == left_behind.volume_id
    assert heir.use("reader", "cat", "/data/note").strip() == WORDS


def test_a_second_up_of_the_new_stack_changes_nothing(heir: SmallStack) -> None:
    heir.must_change_nothing()


def test_an_adopted_volume_that_is_not_kept_goes_with_its_cluster(
    left_behind: LeftBehind, heir: SmallStack, cloud: openstack.connection.Connection
) -> None:
    gone = heir.destroy()
    assert gone.ok, gone.output
    assert held(cloud, HEIR) == set()
    assert cloud.block_storage.find_volume(left_behind.volume_id) is None
    assert not list(cloud.network.networks(name=HEIR))
