"""Three control planes and two workers: masters are healed while clients write, workers leave while clients read."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.lab.api_writer import ApiWriter
from tests.lab.conftest import Lab
from tests.lab.kubeadm_by_hand import wait_for
from tests.lab.lab_stack import LabStack
from tests.lab.workloads import ReadyWatch, answer, budget, deployment, node_port, pods_of, ready_nodes

pytestmark = [pytest.mark.lab, pytest.mark.long]

MASTERS = ("control-plane-0", "control-plane-1", "control-plane-2")
LONGEST_GAP_S = 5.0


@pytest.fixture(scope="module")
def ha(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabStack]:
    with LabStack(tmp_path_factory.mktemp("ha"), "ha").built() as stack:
        yield stack


def etcd(stack: LabStack, master: str, command: str) -> dict[str, Any]:
    tls = "/etc/kubernetes/pki/etcd"
    said = stack.run_on(
        master,
        f"sudo etcdctl --endpoints=https://127.0.0.1:2379 --cacert={tls}/ca.crt --cert={tls}/server.crt "
        f"--key={tls}/server.key --write-out=json {command}",
    )
    parsed = json.loads(said)
    return {"members": parsed} if isinstance(parsed, list) else dict(parsed)


def healthy_members(stack: LabStack, master: str) -> list[str]:
    """The members of etcd that vote and answer, as one of the masters sees them."""
    members = etcd(stack, master, "member list")["members"]
    answers = etcd(stack, master, "endpoint health --cluster")["members"]
    healthy = {answer["endpoint"] for answer in answers if answer["health"]}
    return sorted(
        member["name"] for member in members if not member.get("isLearner") and healthy & set(member["clientURLs"])
    )


def test_a_service_answers_through_the_load_balancer(ha: LabStack) -> None:
    assert ready_nodes(ha) == {*MASTERS, "worker-0", "worker-1"}
    ha.apply(deployment("web", 3), budget("web", 2), node_port("web", 30080))
    ha.kubectl("rollout", "status", "deployment/web", "--timeout=120s")
    url = f"http://{ha.outputs()['nodes']['load-balancer']['floating-ip']}/"
    wait_for(30, "an answer through the load balancer", lambda: answer(url).startswith("hello from web-"))


def test_a_second_up_changes_nothing(ha: LabStack) -> None:
    ha.must_change_nothing()


@pytest.mark.parametrize("master", MASTERS[::-1])
def test_heal_of_a_master_loses_no_write(ha: LabStack, master: str) -> None:
    before = ha.server_id(master)
    address = ha.outputs()["nodes"][master]["address"]
    ha.change({f"control-plane.heal.{master}": 1})
    with ApiWriter(ha.kubeconfig().read_text()) as writer:
        time.sleep(2)
        run = ha.must_up()
        time.sleep(2)
    print(f"\nheal of {master}: {writer.written} writes, longest gap {writer.longest_gap_s():.1f} s")
    assert ha.server_id(master) != before
    assert ha.outputs()["nodes"][master]["address"] == address
    assert writer.lost() == set()
    assert writer.longest_gap_s() < LONGEST_GAP_S
    assert not run.touched("worker-0", "worker-1", *(f"{other}-" for other in MASTERS if other != master))
    assert healthy_members(ha, master) == sorted(MASTERS)


def test_scale_in_never_leaves_fewer_pods_ready_than_their_budget(ha: LabStack) -> None:
    ha.change({"workers.worker.count": 3})
    ha.must_up()
    ha.kubectl("rollout", "restart", "deployment/web")
    ha.kubectl("rollout", "status", "deployment/web", "--timeout=120s")
    # One of those that run there: else nobody would have to move.
    leaving = max(set(pods_of(ha, "web").values()))
    assert leaving != "worker-0"
    ha.change({"workers.worker.count": 2, "workers.worker.without": [leaving]})
    with ReadyWatch(ha, "web") as watch:
        ha.must_up()
    assert ready_nodes(ha) == {*MASTERS, "worker-0", "worker-1", "worker-2"} - {leaving}
    assert watch.looks > 5
    assert watch.fewest >= 2, f"{watch.fewest} pods were ready"


def test_a_budget_that_lets_nobody_go_is_named_and_nothing_is_lost(ha: LabStack) -> None:
    ha.apply(budget("web", 3))
    ha.change({"drain": {"grace-s": 1, "timeout-s": 10}, "workers.worker.heal.worker-0": 1})
    server, nodes = ha.server_id("worker-0"), ready_nodes(ha)
    stuck = ha.up()
    assert not stuck.ok
    for word in ("worker-0", "budget default/web allows no disruption", "it stays in the cluster"):
        assert word in stuck.output, stuck.output
    assert ha.server_id("worker-0") == server
    ha.apply(budget("web", 2))
    ha.must_up()
    assert ha.server_id("worker-0") != server
    assert ready_nodes(ha) == nodes


def test_quorum_is_not_put_at_risk(ha: LabStack, lab: Lab) -> None:
    """With one master dead the heal of another would leave one of three; it is refused with the numbers."""
    servers = {master: ha.server_id(master) for master in MASTERS}
    lab("fault", "kill", servers["control-plane-2"])
    healed = dict(ha.settings["control-plane"].get("heal", {}))
    ha.change({"control-plane.heal": {**healed, "control-plane-0": 9}})
    refused = ha.up()
    assert not refused.ok
    assert {master: ha.server_id(master) for master in MASTERS} == servers
    assert "of the 2 other etcd members only 1 are healthy, and 2 are needed; nothing was changed" in refused.output
    ha.change({"control-plane.heal": {**healed, "control-plane-2": 9}})
    ha.must_up()
    assert healthy_members(ha, "control-plane-2") == sorted(MASTERS)
