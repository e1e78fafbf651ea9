"""What each operation writes into the stack file, and when it writes nothing."""

from dataclasses import replace
from typing import Any

import pytest

from cluster.settings import ClusterSettings, load
from lifecycle import edits
from lifecycle.edits import Edit
from lifecycle.errors import Exit, LifecycleError
from lifecycle.exports import Exports, read_exports
from tests.examples import ha, raw


def settings(changes: dict[str, Any] | None = None) -> ClusterSettings:
    return load(raw(changes))


def exported(*nodes: str, heal: dict[str, int] | None = None, cluster: int = 0, pool: int = 0) -> Exports:
    return read_exports(
        {
            "nodes": {
                node: {
                    "role": "control-plane" if node.startswith("control") else "worker",
                    "pool": node.rpartition("-")[0],
                    "generations": {"cluster": cluster, "pool": pool, "heal": (heal or {}).get(node, 0)},
                    "kubernetes-version": "1.34.3",
                }
                for node in nodes
            }
        }
    )


def lines(found: tuple[Edit, ...]) -> list[str]:
    return [str(edit) for edit in found]


def test_scaling_out_raises_the_count() -> None:
    assert lines(edits.scale(settings(), "worker", 4)) == ["workers.worker.count: 2 → 4"]


def test_scaling_to_what_is_asks_for_nothing() -> None:
    assert edits.scale(settings(), "worker", 2) == ()


def test_removing_a_chosen_machine_lowers_the_count_and_leaves_its_name_out() -> None:
    found = edits.remove(settings({"workers.worker.count": 3}), "worker", ["worker-1"])
    assert lines(found) == ["workers.worker.count: 3 → 2", "workers.worker.without: not set → [worker-1]"]


def test_a_machine_removed_before_is_removed_no_second_time() -> None:
    gone = settings({"workers.worker.count": 1, "workers.worker.without": ["worker-1"]})
    assert edits.remove(gone, "worker", ["worker-1"]) == ()


def test_healing_raises_the_number_by_one() -> None:
    found = edits.heal(
        settings({"workers.worker.heal": {"worker-1": 2}}), exported("worker-1", heal={"worker-1": 2}), ["worker-1"]
    )
    assert lines(found) == ["workers.worker.heal.worker-1: 2 → 3"]


def test_a_heal_that_was_not_finished_goes_on_instead_of_beginning_again() -> None:
    asked = settings({"workers.worker.heal": {"worker-1": 3}})
    assert edits.heal(asked, exported("worker-1", heal={"worker-1": 2}), ["worker-1"]) == ()


def test_a_heal_that_failed_at_its_end_goes_on_too() -> None:
    asked = settings({"workers.worker.heal": {"worker-1": 3}})
    delivered = replace(exported("worker-1", heal={"worker-1": 3}), unfinished=frozenset({"worker-1"}))
    assert edits.heal(asked, delivered, ["worker-1"]) == ()
    assert (
        edits.roll(settings({"generation": 1}), replace(delivered, nodes=exported("worker-1", cluster=1).nodes)) == ()
    )


def test_what_is_unfinished_is_read_from_the_state() -> None:
    nodes: dict[str, Any] = {"nodes": {"worker-1": {}, "worker-10": {}}}
    resources = [
        {"urn": "urn:pulumi:x::y::command:remote:Command::worker-10-join", "pendingReplacement": True},
        {"urn": "urn:pulumi:x::y::command:remote:Command::worker-1-join"},
    ]
    assert read_exports(nodes, {"deployment": {"resources": resources}}).unfinished == {"worker-10"}


def test_a_heal_to_a_number_that_was_reached_asks_for_nothing() -> None:
    asked = settings({"workers.worker.heal": {"worker-1": 3}})
    assert edits.heal(asked, exported("worker-1", heal={"worker-1": 3}), ["worker-1"], number=3) == ()


def test_a_heal_never_lowers_its_number() -> None:
    asked = settings({"workers.worker.heal": {"worker-1": 3}})
    with pytest.raises(LifecycleError, match="below 3"):
        edits.heal(asked, exported("worker-1"), ["worker-1"], number=2)


@pytest.mark.parametrize(
    ("node", "path"),
    [
        ("control-plane-0", ("control-plane", "heal", "control-plane-0")),
        ("load-balancer", ("load-balancer", "heal", "load-balancer")),
        ("worker-0", ("workers", "worker", "heal", "worker-0")),
    ],
)
def test_every_kind_of_machine_is_healed_in_its_own_section(node: str, path: tuple[str, ...]) -> None:
    assert edits.heal(settings(), Exports(), [node]) == (Edit(path=path, old=None, new=1),)


def test_rolling_raises_the_generation_of_the_cluster_or_of_a_pool() -> None:
    known = exported("control-plane-0", "worker-0")
    assert lines(edits.roll(settings(), known)) == ["generation: 0 → 1"]
    assert lines(edits.roll(settings(), known, "worker")) == ["workers.worker.generation: 0 → 1"]


def test_a_roll_that_was_not_finished_goes_on() -> None:
    assert edits.roll(settings({"generation": 2}), exported("worker-0", cluster=1)) == ()


def test_upgrading_changes_the_version_and_the_images_that_are_said() -> None:
    asked = settings({"workers.worker.image": "node-a"})
    assert lines(edits.upgrade(asked, "1.34.5", "node-b")) == [
        "kubernetes.version: 1.34.3 → 1.34.5",
        "control-plane.image: node → node-b",
        "workers.worker.image: node-a → node-b",
    ]
    assert lines(edits.upgrade(asked, "1.34.5")) == ["kubernetes.version: 1.34.3 → 1.34.5"]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda s: edits.scale(s, "workr", 3), "did you mean worker?"),
        (lambda s: edits.scale(s, "load-balancer", 2), "there is always one"),
        (lambda s: edits.scale(s, "worker", -1), "-1 is no count"),
        (lambda s: edits.remove(s, "worker", ["worker-9"]), "there is no machine worker-9"),
        (lambda s: edits.remove(s, "control-plane", ["control-plane-0"]), "not chosen by name"),
        (lambda s: edits.heal(s, Exports(), ["wroker-1"]), "did you mean worker-1?"),
        (lambda s: edits.roll(s, Exports(), "none"), "there is no pool none"),
    ],
)
def test_a_call_that_makes_no_sense_is_a_fault_of_the_call(call: Any, told: str) -> None:
    with pytest.raises(LifecycleError, match=told.replace("?", r"\?")) as raised:
        call(load(ha()))
    assert raised.value.code is Exit.USAGE
