"""What the tests of the toolchain share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from toolchain import cache_root, golang
from toolchain.supply import Supply


@pytest.fixture(scope="session", autouse=True)
def project_go() -> Iterator[None]:
    """The Go that the project builds with, also on a machine that has none of its own."""
    go = golang.find_go(Supply.usual().catalog.go, cache_root())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{go}/bin{os.pathsep}{os.environ['PATH']}")
        yield
