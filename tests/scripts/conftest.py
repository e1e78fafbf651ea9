"""What the tests of the scripts share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scripts.kubernetes import Cluster
from tests.scripts.sandbox import Sandbox


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with Sandbox(tmp_path) as machine:
        yield machine


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One for all tests: each uses nodes of its own."""
    with Sandbox(tmp_path_factory.mktemp("cluster"), own_network=True) as machine:
        yield Cluster(machine)
