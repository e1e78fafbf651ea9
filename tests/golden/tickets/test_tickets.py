"""Change tickets as people read them, from previews of the real engine."""

from pathlib import Path

import pytest

from lifecycle.live import Live
from lifecycle.ticket import markdown, text
from tests.golden.tickets.cases import busy, make, masters

HERE = Path(__file__).parent

CASES: dict[str, tuple[str, Live | None]] = {
    "create": ("create", None),
    "nothing": ("nothing", busy()),
    "scale-out": ("scale-out", busy()),
    "scale-in-chosen": ("scale-in-chosen", busy()),
    "heal-worker": ("heal-worker", busy()),
    "heal-worker-unreachable": ("heal-worker", None),
    "heal-only-master": ("heal-only-master", busy()),
    "heal-load-balancer": ("heal-load-balancer", busy()),
    "heal-master": ("heal-master", masters()),
    "heal-master-of-a-wounded-cluster": ("heal-master", masters(down="control-plane-2")),
    "heal-the-wounded-master": ("heal-master", masters(down="control-plane-1")),
    "roll": ("roll", masters()),
    "image": ("image", busy()),
    "image-and-heal": ("image-and-heal", busy()),
    "upgrade": ("upgrade", busy()),
    "empty-pool": ("empty-pool", busy()),
}


@pytest.mark.parametrize("name", CASES)
def test_a_ticket_reads_as_it_was_agreed(name: str, request: pytest.FixtureRequest) -> None:
    recorded, running = CASES[name]
    made = make(recorded, running)
    for ending, shown in (("txt", text(made)), ("md", markdown(made))):
        path = HERE / f"{name}.{ending}"
        if request.config.getoption("--update-golden", default=False):
            path.write_text(shown, encoding="utf-8")
        assert shown == path.read_text(encoding="utf-8"), f"{path.name}; run: make golden"
