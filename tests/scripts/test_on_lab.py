"""Every script twice on real machines: the first run does its work, the second says `unchanged`."""

from collections.abc import Iterator

import openstack
import pytest

from tests.lab.conftest import cloud, lab  # noqa: F401 - fixtures
from tests.scripts.lab_cluster import NodeSite, ScriptedCluster

pytestmark = [pytest.mark.lab, pytest.mark.long]

FIRST, WORKER, BALANCER = "control-plane-0", "worker-0", "load-balancer"
CONTROL_PLANE = {"count": 1, "image": "node-1.34.3", "flavor": "m1.medium", "volume-gib": 2}


@pytest.fixture(scope="module")
def site(cloud: openstack.connection.Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeSite]:  # noqa: F811
    with NodeSite(cloud, "scripts", tmp_path_factory.mktemp("scripts")) as made:
        assert isinstance(made, NodeSite)
        yield made


@pytest.fixture(scope="module")
def volume(site: NodeSite) -> str:
    return site.create_volume("state", 2)


@pytest.fixture(scope="module")
def cluster_on_lab(site: NodeSite, volume: str) -> ScriptedCluster:
    """Machines that have answered, and nothing more."""
    machines = {key: site.reserve(key) for key in (FIRST, WORKER, BALANCER)}
    site.boot_node(machines[FIRST], volumes=(volume,))
    site.boot_node(machines[WORKER])
    site.boot_node(machines[BALANCER])
    site.await_ssh(*machines.values())
    return ScriptedCluster(machines, {"control-plane": CONTROL_PLANE}, machines[BALANCER].address)


def test_every_step_works_once_and_then_says_unchanged(cluster_on_lab: ScriptedCluster, volume: str) -> None:
    run = cluster_on_lab
    for key in run.machines:
        assert run.ready(key) == "unchanged"
        # the image is prebaked: there is nothing to prepare
        assert run.prepare(key, "load-balancer" if key == BALANCER else "node") == "unchanged"
    members = {FIRST: run.machines[FIRST].address}
    assert [run.balance(BALANCER, members) for _ in range(2)] == ["changed", "unchanged"]
    assert [run.mount(FIRST, volume) for _ in range(2)] == ["changed", "unchanged"]
    assert [run.init(FIRST) for _ in range(2)] == ["changed", "unchanged"]
    assert run.restore(FIRST) == "unchanged"
    assert [run.join(FIRST, WORKER) for _ in range(2)] == ["changed", "unchanged"]
    for key in (FIRST, WORKER):
        assert [run.admit(FIRST, key) for _ in range(2)] == ["changed", "unchanged"]
    assert run.addons(FIRST) == "unchanged"
    assert run.ready_nodes(FIRST) == {FIRST, WORKER}


def test_only_control_plane_comes_back_from_its_volume(
    cluster_on_lab: ScriptedCluster, site: NodeSite, volume: str
) -> None:
    run, machine = cluster_on_lab, cluster_on_lab.machines[FIRST]
    machine.kubectl("create configmap kept --from-literal=word=kept")
    assert run.leave(FIRST, FIRST) == "unchanged"
    site.stop(machine)
    site.delete(machine)
    site.boot_node(machine, volumes=(volume,))
    site.await_ssh(machine)
    assert run.mount(FIRST, volume) == "changed"
    assert [run.restore(FIRST) for _ in range(2)] == ["changed", "unchanged"]
    assert run.init(FIRST) == "unchanged"
    assert machine.kubectl("get configmap kept -o jsonpath='{.data.word}'") == "kept"
    assert run.ready_nodes(FIRST) == {FIRST, WORKER}


def test_volume_is_mounted_before_the_kubelet_at_a_reboot(
    cluster_on_lab: ScriptedCluster, site: NodeSite, volume: str
) -> None:
    run, machine = cluster_on_lab, cluster_on_lab.machines[FIRST]
    site.stop(machine)
    site.start(machine)
    assert run.mount(FIRST, volume) == "unchanged"
    assert run.restore(FIRST) == "unchanged"


def test_join_that_was_cut_off_late_is_made_anew(cluster_on_lab: ScriptedCluster) -> None:
    run = cluster_on_lab
    # as a join leaves it that is killed when the Node is already Ready
    run.machines[WORKER].run("sudo touch /etc/kubernetes/nodewright-joining")
    assert [run.join(FIRST, WORKER) for _ in range(2)] == ["changed", "unchanged"]


def test_worker_leaves_and_its_successor_joins(cluster_on_lab: ScriptedCluster, site: NodeSite) -> None:
    run, machine = cluster_on_lab, cluster_on_lab.machines[WORKER]
    assert [run.leave(FIRST, WORKER) for _ in range(2)] == ["changed", "unchanged"]
    site.delete(machine)
    site.boot_node(machine)
    site.await_ssh(machine)
    assert run.join(FIRST, WORKER) == "changed"
    assert run.admit(FIRST, WORKER) == "changed"
