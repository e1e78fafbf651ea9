from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.toolchain.command_plugin.sshd import Keys, SshServer
from tests.toolchain.command_plugin.stack import CommandStack, engine_environment, install_plugin

NewStack = Callable[[str], CommandStack]


@pytest.fixture(scope="session")
def new_stack(tmp_path_factory: pytest.TempPathFactory) -> NewStack:
    home = tmp_path_factory.mktemp("pulumi-home")
    install_plugin(home)
    environment = engine_environment()
    stacks = tmp_path_factory.mktemp("stacks")
    return lambda name: CommandStack(stacks / name, environment, home)


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    return Keys.make(tmp_path_factory.mktemp("keys") / "keys")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, keys: Keys) -> Iterator[SshServer]:
    server = SshServer(tmp_path_factory.mktemp("sshd") / "server", keys)
    server.start()
    yield server
    server.stop()
