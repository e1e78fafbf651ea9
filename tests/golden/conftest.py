"""Golden files: what is rendered is compared with what a person has read; one flag writes it anew."""

from collections.abc import Callable
from pathlib import Path

import pytest

FILES = Path(__file__).parent / "files"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flag; read the difference with git before it is committed."""
    parser.addoption("--update-golden", action="store_true", help="write golden files anew")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the golden file of that name."""

    def compare(name: str, text: str) -> None:
        path = FILES / name
        if request.config.getoption("--update-golden", default=False):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path} is missing; run: pytest tests/golden --update-golden"
        assert text == path.read_text(encoding="utf-8"), f"{name} differs; run: pytest tests/golden --update-golden"

    return compare
