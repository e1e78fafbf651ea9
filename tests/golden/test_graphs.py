"""What each example stack asks the engine for: resources, and every edge between them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from cluster.build import build
from cluster.plan import plan
from cluster.previous import NOTHING, Previous
from cluster.settings import load
from tests.examples import after_up, ha
from tests.golden.recorder import record

Golden = Callable[[str, str], None]
STACKS = Path(__file__).parents[2] / "stacks"
SECRET = "not-a-secret-but-long-enough-for-one"


def graph(raw: dict[str, Any], previous: Previous = NOTHING) -> str:
    settings = load(raw)
    planned = plan(settings, previous)
    attempts = {node.key: "1" for node in planned.nodes}
    return record(lambda: build(settings, planned, secret=SECRET, passwords={}, attempts=attempts).exports())


@pytest.mark.parametrize("name", ["Pulumi.lab.yaml", "Pulumi.ha.yaml", "Pulumi.storage.yaml", "small.example.yaml"])
def test_first_up_of_a_stack(name: str, golden: Golden) -> None:
    config = yaml.safe_load((STACKS / name).read_text(encoding="utf-8"))["config"]
    golden(f"graphs/{name.removeprefix('Pulumi.').split('.')[0]}.json", graph(config["nodewright:cluster"]))


def test_upgrade_of_a_cluster_with_three_masters(golden: Golden) -> None:
    upgraded = ha({"kubernetes.version": "1.34.5"})
    golden("graphs/ha-upgrade.json", graph(upgraded, after_up(ha())))


def test_no_secret_is_in_a_graph_in_clear() -> None:
    shown = graph(ha())
    assert "PRIVATE KEY" not in shown
    assert SECRET not in shown
    assert "<secret>" in shown
