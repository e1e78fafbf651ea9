"""The stack files that come with the project say what they promise."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.examples import planned

STACKS = Path(__file__).parents[2] / "stacks"
ON_THE_LAB = ("Pulumi.lab.yaml", "Pulumi.ha.yaml", "Pulumi.storage.yaml")


def config_of(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((STACKS / name).read_text(encoding="utf-8"))
    return content["config"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("name", "masters", "workers"),
    [("Pulumi.lab.yaml", 1, 2), ("Pulumi.ha.yaml", 3, 2), ("small.example.yaml", 1, 2)],
)
def test_a_stack_file_is_planned_as_its_first_line_says(name: str, masters: int, workers: int) -> None:
    plan = planned(config_of(name)["nodewright:cluster"])
    assert (len(plan.control_planes), len(plan.workers)) == (masters, workers)
    assert plan.load_balancer is not None


@pytest.mark.parametrize("name", ON_THE_LAB)
def test_the_secret_of_a_stack_lies_in_its_file_encrypted(name: str) -> None:
    assert set(config_of(name)["nodewright:secret"]) == {"secure"}


def test_stacks_on_the_lab_share_no_addresses() -> None:
    cidrs = {config_of(name)["nodewright:cluster"]["network"]["cidr"] for name in ON_THE_LAB}
    assert len(cidrs) == len(ON_THE_LAB)


def test_the_storage_stack_has_both_machines_beside_the_nodes() -> None:
    plan = planned(config_of("Pulumi.storage.yaml")["nodewright:cluster"])
    assert [node.key for node in plan.nodes if not node.role.is_node] == ["storage", "registry"]
    assert plan.storage
    assert len(plan.storage.persistent_volumes) == 3
