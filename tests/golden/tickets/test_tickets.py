"""Change tickets as people read them, from previews of the real engine."""

import json
from pathlib import Path
from typing import Any

import pytest

from cluster.plan import PlanError, plan
from cluster.previous import parse
from cluster.settings import load
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
    "image-and-generation": ("image-and-generation", busy()),
    "upgrade": ("upgrade", busy()),
    "empty-pool": ("empty-pool", busy()),
    "heal-storage": ("heal-storage", busy()),
    "heal-registry": ("heal-registry", busy()),
    "registries": ("registries", busy()),
    "volume-deleted": ("volume-deleted", busy()),
}

# Edits that never become a ticket, on top of what a recording's cluster was: they are refused before any preview.
REFUSED: dict[str, tuple[str, dict[str, Any]]] = {
    "refused-two-masters": ("roll", {"heal": {"control-plane-0": 1, "control-plane-1": 1}}),
    "refused-too-few-masters": ("roll", {"count": 1}),
    "refused-growing-while-replacing": ("nothing", {"count": 3, "heal": {"control-plane-0": 1}}),
    "refused-smaller-volume": ("nothing", {"volume-gib": 2}),
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


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_reads_as_it_was_agreed(name: str, request: pytest.FixtureRequest) -> None:
    recorded, control_plane = REFUSED[name]
    before = json.loads((HERE / f"{recorded}.json").read_text(encoding="utf-8"))
    wished = {**before["cluster"], "generation": 0}
    wished["control-plane"] = {**wished["control-plane"], **control_plane}
    with pytest.raises(PlanError) as raised:
        plan(load(wished), parse(before["outputs"]))
    path = HERE / f"{name}.txt"
    if request.config.getoption("--update-golden", default=False):
        path.write_text(f"{raised.value}\n", encoding="utf-8")
    assert f"{raised.value}\n" == path.read_text(encoding="utf-8"), f"{path.name}; run: make golden"
