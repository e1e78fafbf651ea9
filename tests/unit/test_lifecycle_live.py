"""Which pods must move, which budgets count them, and what happens when nobody answers."""

from typing import Any

import pytest

from lifecycle import live
from lifecycle.live import LiveBudget, LivePod
from tests.golden.tickets.cases import budget, etcd, node, pod


def test_pods_that_stay_with_their_node_do_not_move() -> None:
    done = pod("batch/done", "worker-0")
    done["status"]["phase"] = "Succeeded"
    pods = [pod("a/web", "worker-0"), pod("a/agent", "worker-0", owner="DaemonSet"), etcd("worker-0"), done]
    found = live.read([], pods, [])
    assert [item.full_name for item in found.pods] == ["a/web"]


def test_a_pod_that_has_no_node_yet_moves_nowhere() -> None:
    waiting = pod("a/web", "")
    assert live.read([], [waiting], []).pods == ()


def test_what_a_move_costs_is_known() -> None:
    (found,) = live.read([], [pod("a/web", "worker-0", owner=None, volumes=("emptyDir",))], []).pods
    assert found.local_data
    assert not found.managed


def test_nodes_say_how_they_are() -> None:
    found = live.read([node("worker-0", ready=False)], [], []).nodes["worker-0"]
    assert not found.ready
    assert found.version == "1.34.3"


def test_etcd_members_are_counted_by_their_pods() -> None:
    found = live.read([], [etcd("control-plane-0"), etcd("control-plane-1", ready=False)], [])
    assert found.etcd == {"control-plane-0": True, "control-plane-1": False}
    assert found.etcd_ready == 1


def selected(selector: dict[str, Any], **labels: str) -> bool:
    (found,) = live.read([], [], [budget("a/b", allowed=0, healthy=1, wanted=1)]).budgets
    found = LiveBudget(**{**vars(found), "selector": selector})
    return found.covers(
        LivePod(namespace="a", name="x", node="worker-0", labels=labels, managed=True, local_data=False)
    )


@pytest.mark.parametrize(
    ("operator", "values", "fits"),
    [("In", ["web", "api"], True), ("NotIn", ["web"], False), ("Exists", [], True), ("DoesNotExist", [], False)],
)
def test_a_budget_selects_pods_as_kubernetes_does(operator: str, values: list[str], fits: bool) -> None:  # noqa: FBT001
    rule = {"key": "app", "operator": operator, "values": values}
    assert selected({"matchExpressions": [rule]}, app="web") is fits


def test_a_budget_selects_by_all_its_labels() -> None:
    assert selected({"matchLabels": {"app": "web"}}, app="web", tier="x")
    assert not selected({"matchLabels": {"app": "web", "tier": "y"}}, app="web", tier="x")


def test_a_budget_of_another_namespace_counts_no_pod_here() -> None:
    (other,) = live.read([], [], [budget("b/c", allowed=0, healthy=1, wanted=1, app="web")]).budgets
    (web,) = live.read([], [pod("a/web", "worker-0", app="web")], []).pods
    assert not other.covers(web)


@pytest.mark.parametrize(
    ("config", "told"), [(None, "no kubeconfig yet"), ("nonsense", "cannot be used"), ("", "no kubeconfig")]
)
def test_a_cluster_that_cannot_be_asked_is_an_answer(config: str | None, told: str) -> None:
    assert told in (live.look(config).unknown or "")
