"""The lab for its tests: brought up once, left up, never skipped."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import openstack
import pytest

from tests.lab.belongings import held
from tests.lab.data_cluster import KEEP, DataCluster
from tests.lab.site import LabSite

LAB = Path(__file__).parents[2] / "bin" / "lab"
# The image that these tests need; others stay as they are.
UP = ("up", "--image", "debian-12")

Lab = Callable[..., subprocess.CompletedProcess[str]]


def in_the_labs_network() -> bool:
    """`bin/lab exec` names the cloud; outside of it nobody does."""
    return os.environ.get("OS_CLOUD") == "lab"


@pytest.fixture(scope="session")
def lab() -> Lab:
    """The lab's command, on a lab that is ready."""

    def run(*arguments: str, check: bool = True, timeout_s: float = 600) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([LAB, *arguments], capture_output=True, text=True, check=False, timeout=timeout_s)
        assert not check or done.returncode == 0, f"lab {' '.join(arguments)}: {done.stdout}\n{done.stderr}"
        return done

    if not in_the_labs_network():
        run(*UP)
    state = json.loads(run("status", "--json", check=False).stdout)
    assert state.get("ready"), f"the lab is not ready: waiting for {state.get('waiting_for', 'bin/lab up')}"
    return run


@pytest.fixture(scope="session")
def cloud(lab: Lab) -> Iterator[openstack.connection.Connection]:
    """The lab's cloud as its customer sees it."""
    with openstack.connect(cloud="lab") as connection:
        yield connection


@pytest.fixture(scope="session")
def operator(lab: Lab) -> Iterator[openstack.connection.Connection]:
    """The lab's cloud as its operator sees it."""
    with openstack.connect(cloud="lab-admin") as connection:
        yield connection


@pytest.fixture(scope="module")
def site(
    cloud: openstack.connection.Connection, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[LabSite]:
    """A network of its own for each file of tests."""
    name = request.module.__name__.rpartition(".")[2].removeprefix("test_").replace("_", "-")
    with LabSite(cloud, name, tmp_path_factory.mktemp(name)) as made:
        yield made


@pytest.fixture(scope="session")
def data_cluster(
    lab: Lab, cloud: openstack.connection.Connection, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DataCluster]:
    """A cluster with storage and registry beside it; shared, because it takes minutes to make."""
    made = DataCluster(tmp_path_factory.mktemp("data-cluster"))
    try:
        made.must_up()
        yield made
    finally:
        made.clean()
        if not os.environ.get(KEEP):
            gone = made.destroy()
            assert gone.ok, gone.output
            assert held(cloud, made.name) == set()


@pytest.fixture
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A lab of its own, empty: the one that may be running is not touched."""
    monkeypatch.setenv("NODEWRIGHT_CACHE", str(tmp_path))
    return tmp_path
