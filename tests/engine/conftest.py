from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.harness import Stack, engine_environment, install_fakes
from tests.engine.shelf import Shelf


@pytest.fixture(scope="session")
def plugin_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("pulumi-home")
    install_fakes(home)
    return home


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return Shelf(tmp_path_factory.mktemp("shelf"))


@pytest.fixture
def stack(tmp_path: Path, plugin_home: Path, shelf: Shelf) -> Stack:
    return Stack(tmp_path, plugin_home, engine_environment(), shelf)
