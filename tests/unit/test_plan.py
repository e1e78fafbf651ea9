"""The plan: who exists, under which name, served by whom, made of what."""

import pytest

from cluster.plan import Change, Role
from tests.examples import REMOVED, after_up, ha, planned, raw


def keys(changes: dict[str, object]) -> list[str]:
    return [node.key for node in planned(raw(changes)).workers]


def test_machines_are_listed_load_balancer_first_then_masters_then_pools_by_name() -> None:
    plan = planned(ha({"workers.arm": {"count": 1, "flavor": "arm"}}))
    assert [node.key for node in plan.nodes] == [
        "load-balancer",
        "control-plane-0",
        "control-plane-1",
        "control-plane-2",
        "arm-0",
        "worker-0",
        "worker-1",
    ]


@pytest.mark.parametrize(
    ("count", "without", "expected"),
    [
        (2, [], ["worker-0", "worker-1"]),
        (2, ["worker-1"], ["worker-0", "worker-2"]),
        (2, ["worker-0", "worker-1"], ["worker-2", "worker-3"]),
        (1, ["worker-7"], ["worker-0"]),
        (0, ["worker-0"], []),
    ],
)
def test_a_pool_is_the_first_names_that_are_not_left_out(count: int, without: list[str], expected: list[str]) -> None:
    assert keys({"workers.worker.count": count, "workers.worker.without": without}) == expected


def test_leaving_a_machine_out_renames_nobody() -> None:
    before = after_up(raw({"workers.worker.count": 3}))
    plan = planned(raw({"workers.worker.count": 2, "workers.worker.without": ["worker-1"]}), before)
    assert plan.leaving == ("worker-1",)
    assert {node.change for node in plan.nodes} == {Change.KEPT}


def test_scaling_out_touches_no_existing_machine() -> None:
    plan = planned(raw({"workers.worker.count": 4}), after_up(raw()))
    assert [node.key for node in plan.nodes if node.change is not Change.KEPT] == ["worker-2", "worker-3"]


def test_a_steward_is_never_the_machine_itself_when_there_is_another() -> None:
    stewards = {node.key: node.steward for node in planned(ha()).nodes}
    assert stewards["control-plane-0"] == "control-plane-1"
    assert stewards["control-plane-1"] == stewards["control-plane-2"] == stewards["worker-0"] == "control-plane-0"


def test_the_only_control_plane_is_its_own_steward_and_has_a_volume() -> None:
    node = planned(raw()).node("control-plane-0")
    assert node.steward == "control-plane-0"
    (volume,) = node.volumes
    assert volume.name == "control-plane-0-state"
    assert volume.binds == ("etcd:/var/lib/etcd", "pki:/etc/kubernetes/pki")


def test_every_generation_number_and_the_version_make_another_incarnation() -> None:
    changes: list[dict[str, object]] = [
        {},
        {"generation": 1},
        {"workers.worker.generation": 1},
        {"workers.worker.heal": {"worker-0": 1}},
        {"kubernetes.version": "1.34.5"},
    ]
    incarnations = {planned(raw(change)).node("worker-0").incarnation for change in changes}
    assert len(incarnations) == len(changes)


def test_a_new_version_leaves_the_load_balancer_alone() -> None:
    plan = planned(raw({"kubernetes.version": "1.34.5"}), after_up(raw()))
    assert plan.node("load-balancer").change is Change.KEPT
    assert plan.node("worker-0").change is Change.REPLACED


def test_a_changed_image_waits_for_the_next_replacement() -> None:
    settings = {"workers.worker.image": "newer", "workers.worker.heal": {"worker-1": 1}}
    plan = planned(raw(settings), after_up(raw()))
    assert plan.node("worker-0").image == "newer"
    assert plan.node("worker-0").made_from.image == "node"
    assert plan.node("worker-1").made_from.image == "newer"


def test_zones_are_taken_in_turn_by_number_and_kept() -> None:
    zones = {"workers.worker.count": 3, "workers.worker.availability-zones": ["a", "b"]}
    plan = planned(raw(zones))
    assert [node.availability_zone for node in plan.workers] == ["a", "b", "a"]
    moved = planned(raw({**zones, "workers.worker.availability-zones": ["c"]}), after_up(raw(zones)))
    assert moved.node("worker-1").labels["topology.kubernetes.io/zone"] == "b"


def test_server_groups_are_made_for_pools_that_are_kept_apart() -> None:
    plan = planned(raw({"workers.worker.spread": "none", "control-plane.spread": "anti-affinity"}))
    assert [(group.key, group.policy) for group in plan.server_groups] == [("control-plane", "anti-affinity")]
    assert plan.node("worker-0").server_group is None
    assert plan.node("control-plane-0").server_group == "control-plane"


def test_a_pools_own_drain_stands_before_the_clusters() -> None:
    plan = planned(
        raw({"drain": {"policy": "force"}, "workers.worker.drain": {"policy": "skip", "timeout-s": 90, "grace-s": 5}})
    )
    assert plan.node("worker-0").drain.policy == "skip"
    assert plan.node("control-plane-0").drain.policy == "force"


def test_only_bastion_and_load_balancer_have_floating_ips() -> None:
    plan = planned(raw({"access.bastion": "control-plane", "load-balancer.external": "dmz"}))
    assert {node.key: node.external_network for node in plan.nodes if node.floating_ip} == {
        "load-balancer": "dmz",
        "control-plane-0": "public",
    }
    assert plan.bastion == "control-plane-0"


def test_every_machine_has_a_floating_ip_on_request() -> None:
    plan = planned(raw({"access.floating-ips": True}))
    assert all(node.floating_ip for node in plan.nodes)
    assert plan.bastion is None


def test_without_a_load_balancer_the_api_is_at_the_control_plane() -> None:
    assert planned(raw({"load-balancer": REMOVED})).endpoint == "control-plane-0"
    assert planned(raw()).endpoint == "load-balancer"


def test_the_proxy_never_stands_between_the_clusters_own_addresses() -> None:
    proxy = planned(raw({"network.proxy": {"http": "http://p:1", "no-proxy": ["x.example", ".svc"]}})).proxy
    assert proxy is not None
    assert proxy.no_proxy == (
        "localhost,127.0.0.1,.svc,.cluster.local,10.20.0.0/24,10.244.0.0/16,10.96.0.0/16,x.example"
    )


def test_an_up_with_the_same_settings_keeps_every_machine_and_waits_for_nobody() -> None:
    plan = planned(ha(), after_up(ha()))
    assert all(node.change is Change.KEPT and node.after == () for node in plan.nodes)
    assert plan.leaving == ()


def test_a_pools_taints_and_labels_are_its_nodes() -> None:
    node = planned(raw({"workers.worker.labels": {"gpu": "yes"}, "workers.worker.taints": ["gpu:NoSchedule"]})).workers[
        0
    ]
    assert node.role is Role.WORKER
    assert node.labels == {"nodewright.dev/pool": "worker", "gpu": "yes"}
    assert node.taints == ("gpu:NoSchedule",)
