"""docs/config.md says what the model says."""

from pathlib import Path

import pytest

from cluster.settings.reference import config_reference
from cluster.settings.section import Section

CONFIG = Path(__file__).parents[2] / "docs" / "config.md"


def test_reference_is_up_to_date(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden", default=False):
        CONFIG.write_text(config_reference(), encoding="utf-8")
    assert CONFIG.read_text(encoding="utf-8") == config_reference(), "run: make golden"


def test_every_section_is_in_the_reference() -> None:
    text = config_reference()
    for section in sections():
        assert str(section.__doc__) in text, section.__name__


def sections(base: type[Section] = Section) -> set[type[Section]]:
    """Every section that a stack file can hold; what several have in common is said by each of them."""
    children = base.__subclasses__()
    return set().union(*(sections(child) for child in children)) if children else {base}
