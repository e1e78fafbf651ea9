"""Changes that a living cluster would not survive are refused, with the numbers, before anything is touched."""

from typing import Any

import pytest

from cluster.plan import PlanError
from cluster.previous import NOTHING
from tests.examples import REMOVED, after_up, ha, planned, raw


def reasons(before: dict[str, Any], now: dict[str, Any]) -> tuple[str, ...]:
    with pytest.raises(PlanError) as caught:
        planned(now, after_up(before))
    return caught.value.reasons


@pytest.mark.parametrize(
    ("changes", "path", "old", "new"),
    [
        ({"name": "other"}, "name", "demo", "other"),
        ({"network.cidr": "10.21.0.0/24"}, "network.cidr", "10.20.0.0/24", "10.21.0.0/24"),
        ({"network": {"network": "a", "subnet": "b", "external": "public"}}, "network.network", "not set", "a"),
        ({"kubernetes.pod-cidr": "10.245.0.0/16"}, "kubernetes.pod-cidr", "10.244.0.0/16", "10.245.0.0/16"),
        ({"kubernetes.service-cidr": "10.97.0.0/16"}, "kubernetes.service-cidr", "10.96.0.0/16", "10.97.0.0/16"),
        ({"kubernetes.cni": "mine.yaml"}, "kubernetes.cni", "flannel", "manifest"),
        ({"control-plane.volume-gib": 8}, "control-plane.volume-gib", "4", "8"),
        ({"load-balancer": REMOVED}, "endpoint", "load-balancer", "control-plane-0"),
    ],
)
def test_values_fixed_at_birth_do_not_change(changes: dict[str, Any], path: str, old: str, new: str) -> None:
    said = reasons(raw(), raw(changes))
    assert any(text.startswith(f"{path}:") and f"it was {old}, now {new};" in text for text in said), said


def test_the_volume_of_the_control_plane_cannot_be_taken_away() -> None:
    before = {"control-plane.count": 3}
    (reason,) = reasons(raw(before), raw({**before, "control-plane.volume-gib": REMOVED}))
    assert "it was 4, now not set" in reason


@pytest.mark.parametrize(
    ("version", "words"),
    [("1.34.2", "cannot go back"), ("1.33.9", "cannot go back"), ("1.36.0", "go to a version 1.35.x first")],
)
def test_versions_go_forward_one_minor_at_a_time(version: str, words: str) -> None:
    (reason,) = reasons(raw(), raw({"kubernetes.version": version}))
    assert words in reason


@pytest.mark.parametrize("version", ["1.34.3", "1.34.9", "1.35.4"])
def test_the_same_or_the_next_version_is_planned(version: str) -> None:
    assert planned(raw({"kubernetes.version": version}), after_up(raw())).kubernetes_version == version


@pytest.mark.parametrize(
    ("before", "now", "path"),
    [
        ({"generation": 2}, {"generation": 1}, "generation: was 2, now 1"),
        ({"workers.worker.generation": 1}, {}, "workers.worker.generation: was 1, now 0"),
        ({"workers.worker.heal": {"worker-0": 2}}, {}, "workers.worker.heal.worker-0: was 2, now 0"),
    ],
)
def test_numbers_that_replace_machines_only_rise(before: dict[str, Any], now: dict[str, Any], path: str) -> None:
    (reason,) = reasons(raw(before), raw(now))
    assert reason.startswith(path)


def test_two_masters_are_not_healed_in_one_up() -> None:
    (reason,) = reasons(ha(), ha({"control-plane.heal": {"control-plane-0": 1, "control-plane-2": 1}}))
    assert "2 of 3 members of etcd" in reason
    assert "1 would be left and 2 are needed" in reason
    assert "control-plane-0, control-plane-2" in reason


@pytest.mark.parametrize(
    "changes",
    [
        {"control-plane.heal": {"control-plane-1": 1}},
        {"control-plane.generation": 1},
        {"generation": 1},
        {"generation": 1, "control-plane.heal": {"control-plane-0": 1, "control-plane-1": 1}},
        {"kubernetes.version": "1.35.0"},
    ],
)
def test_one_heal_and_ordered_rolls_keep_quorum(changes: dict[str, Any]) -> None:
    planned(ha(changes), after_up(ha()))


def test_the_only_control_plane_can_be_healed() -> None:
    planned(raw({"control-plane.heal": {"control-plane-0": 1}}), after_up(raw()))


@pytest.mark.parametrize("count", [1, 3])
def test_a_control_plane_of_five_shrinks_to_three_and_no_further(count: int) -> None:
    volume = {"control-plane.volume-gib": 4}
    before = after_up(ha({**volume, "control-plane.count": 5}))
    settings = ha({**volume, "control-plane.count": count})
    if count == 3:
        assert planned(settings, before).leaving == ("control-plane-3", "control-plane-4")
        return
    with pytest.raises(PlanError, match=r"was 5, now 1; etcd needs 3 of 5 members now"):
        planned(settings, before)


def test_a_control_plane_grows_from_one_to_three() -> None:
    plan = planned(raw({"control-plane.count": 3}), after_up(raw()))
    assert [node.key for node in plan.nodes if node.change == "new"] == ["control-plane-1", "control-plane-2"]


@pytest.mark.parametrize(
    "replaces",
    [
        {"control-plane.heal": {"control-plane-0": 1}},
        {"control-plane.generation": 1},
        {"generation": 1},
        {"kubernetes.version": "1.34.5"},
        {"kubernetes.version": "1.34.5", "control-plane.image": "node-1.34.5"},
    ],
)
def test_a_control_plane_does_not_grow_while_its_only_member_is_replaced(replaces: dict[str, Any]) -> None:
    """The new members would join through the old one, and the old one waits for them: neither would end."""
    (reason,) = reasons(raw(), raw({"control-plane.count": 3, **replaces}))
    assert reason.startswith("control-plane.count: was 1, now 3, while control-plane-0 would be replaced;")
    assert reason.endswith("do one of the two, run up, then the other")


def test_a_control_plane_may_grow_while_its_image_changes_for_later() -> None:
    plan = planned(raw({"control-plane.count": 3, "control-plane.image": "node-2"}), after_up(raw()))
    assert [node.made_from.image for node in plan.control_planes] == ["node", "node-2", "node-2"]


def test_a_control_plane_does_not_change_size_and_members_in_one_up() -> None:
    (reason,) = reasons(
        ha({"control-plane.count": 5}), ha({"control-plane.count": 3, "control-plane.heal": {"control-plane-1": 1}})
    )
    assert "do one of the two, run up, then the other" in reason


def test_all_reasons_are_said_together() -> None:
    said = reasons(raw(), raw({"name": "other", "kubernetes.version": "1.33.0"}))
    assert len(said) == 2


def test_before_the_first_up_everything_is_possible() -> None:
    assert planned(raw({"generation": 4, "workers.worker.heal": {"worker-0": 9}}), NOTHING).leaving == ()
