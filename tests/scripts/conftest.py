"""What the tests of the scripts share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scripts.sandbox import Sandbox


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with Sandbox(tmp_path) as machine:
        yield machine
