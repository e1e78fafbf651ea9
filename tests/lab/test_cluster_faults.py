"""Something breaks; the next `up` ends in the wished state, with nothing left over and nothing lost."""

import time
from collections.abc import Iterator
from typing import Any

import openstack
import pytest

from tests.lab.belongings import belongs, held, known
from tests.lab.conftest import Lab
from tests.lab.kubeadm_by_hand import wait_for
from tests.lab.lab_stack import LabStack
from tests.lab.workloads import deployment, pods_of, ready_nodes

pytestmark = [pytest.mark.lab, pytest.mark.long]

MASTER = "control-plane-0"


@pytest.fixture(scope="module")
def cluster(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabStack]:
    made = LabStack(tmp_path_factory.mktemp("faults"), "lab", name="faults", cidr="10.62.0.0/24")
    with made.built() as stack:
        stack.apply(deployment("web", 2))
        stack.kubectl("create", "configmap", "kept", "--from-literal=word=kept")
        yield stack


@pytest.fixture
def wished(cluster: LabStack, cloud: openstack.connection.Connection) -> Iterator[LabStack]:
    """The cluster, looked at afterwards: as its config says, and nothing beside it."""
    yield cluster
    nodes = {key for key, node in cluster.outputs()["nodes"].items() if node["role"] in {"control-plane", "worker"}}
    count = cluster.settings["workers"]["worker"]["count"]
    assert nodes == {MASTER, *(f"worker-{number}" for number in range(count))}
    wait_for(60, "all nodes to be Ready", lambda: ready_nodes(cluster) == nodes)
    all_nodes = cluster.kubectl("get", "nodes", "--output=jsonpath={.items[*].metadata.name}").split()
    assert set(all_nodes) == nodes
    assert cluster.kubectl("get", "configmap", "kept", "--output=jsonpath={.data.word}") == "kept"
    deployment = cluster.exported()
    assert not deployment.get("pending_operations")
    assert held(cloud, "faults") == known(deployment)
    cluster.must_change_nothing()


def timed_up(cluster: LabStack, what: str) -> None:
    began = time.monotonic()
    cluster.must_up()
    print(f"\n{what}: {time.monotonic() - began:.1f} s")


@pytest.mark.parametrize(
    ("fault", "key", "number"),
    [("kill", "worker-0", 1), ("freeze", "worker-1", 1), ("fill", "worker-0", 2)],
    ids=["dead", "hanging", "disk full"],
)
def test_a_broken_worker_is_healed(wished: LabStack, lab: Lab, fault: str, key: str, number: int) -> None:
    server, master = wished.server_id(key), wished.server_id(MASTER)
    lab("fault", fault, server)
    wished.change({f"workers.worker.heal.{key}": number})
    timed_up(wished, f"heal of a worker after `fault {fault}`")
    assert wished.server_id(key) != server
    assert wished.server_id(MASTER) == master
    wished.kubectl("rollout", "status", "deployment/web", "--timeout=120s")


def test_the_only_master_killed_comes_back_with_all_it_knew(wished: LabStack, lab: Lab) -> None:
    workers = {key: wished.server_id(key) for key in ("worker-0", "worker-1")}
    pods = set(pods_of(wished, "web"))
    lab("fault", "kill", wished.server_id(MASTER))
    wished.change({f"control-plane.heal.{MASTER}": 1})
    timed_up(wished, "heal of the only master, dead")
    assert {key: wished.server_id(key) for key in workers} == workers
    assert set(pods_of(wished, "web")) == pods


def test_a_volume_that_does_not_detach_only_delays(wished: LabStack, lab: Lab) -> None:
    volume = wished.outputs()["volumes"]["control-plane-0-state"]["id"]
    lab("fault", "volume", "stick", volume)
    wished.change({f"control-plane.heal.{MASTER}": 2})

    def let_go() -> None:
        time.sleep(20)
        lab("fault", "volume", "unstick", volume)

    run = wished.up_and_meanwhile({"Instance control-plane-0 deleting": let_go})
    assert run.ok, run.output
    assert wished.outputs()["volumes"]["control-plane-0-state"]["id"] == volume


def test_a_network_cut_in_the_middle_of_a_join(
    wished: LabStack, lab: Lab, cloud: openstack.connection.Connection
) -> None:
    wished.change({"workers.worker.count": 3})
    noted: dict[str, Any] = {}

    def look() -> None:
        servers = cloud.compute.servers(details=True, name="^worker-2$")
        noted["server"] = next(server.id for server in servers if belongs(server, "faults"))

    def cut() -> None:
        lab("fault", "cut", noted["server"])
        noted["since"] = time.monotonic()

    # A join takes seconds: whose cable is to be pulled must be known before it begins.
    run = wished.up_and_meanwhile({"worker-2-ready creating": look, "worker-2-join creating": cut})
    print(f"\nit took {time.monotonic() - noted['since']:.1f} s until the cut was an error")
    assert not run.ok, run.output
    assert "worker-2-join" in run.output.partition("Diagnostics:")[2]
    lab("fault", "restore", noted["server"])
    timed_up(wished, "the same up after the network is back")


@pytest.mark.parametrize("mode", ["error", "hang"])
def test_an_api_that_fails_for_a_while(wished: LabStack, lab: Lab, mode: str) -> None:
    wished.change({"workers.worker.count": 3 if wished.settings["workers"]["worker"]["count"] == 4 else 4})
    sign = "worker-3 creating" if wished.settings["workers"]["worker"]["count"] == 4 else "worker-3-member deleting"

    def break_nova() -> None:
        lab("fault", "api", "nova", mode)
        time.sleep(15)
        lab("fault", "api", "nova", "ok")

    try:
        run = wished.up_and_meanwhile({sign: break_nova})
    finally:
        lab("fault", "api", "nova", "ok")
    print(f"\nnova: {mode} for 15 s: the up under way {'went on' if run.ok else 'failed'}")
    timed_up(wished, "the next up")
