from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.harness import Stack, engine_environment, install_fakes


@pytest.fixture(scope="session")
def plugin_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("pulumi-home")
    install_fakes(home)
    return home


@pytest.fixture
def stack(tmp_path: Path, plugin_home: Path) -> Stack:
    return Stack(tmp_path, plugin_home, engine_environment())
