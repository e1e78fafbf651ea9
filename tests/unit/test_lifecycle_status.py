"""What `status` finds when file, state, cloud and Kubernetes say different things, and what it proposes."""

from typing import Any

from cluster.plan import plan
from cluster.previous import parse
from cluster.settings import load
from lifecycle import live, status
from lifecycle.cloud import CloudServer, CloudView
from lifecycle.exports import read_exports
from lifecycle.live import Live
from lifecycle.situation import Situation
from lifecycle.status import NodeStatus, Status, compare
from tests.examples import raw
from tests.golden.tickets.cases import etcd, node
from tests.unit.test_lifecycle_ticket import exports_of

NAMES = ("load-balancer", "control-plane-0", "worker-0", "worker-1")
NODES = NAMES[1:]


def cloud(*, gone: str = "", changed: dict[str, str] | None = None, more: tuple[CloudServer, ...] = ()) -> CloudView:
    servers = [
        CloudServer(id=f"id-{name}", node=name, status=(changed or {}).get(name, "ACTIVE"), address=f"address-{name}")
        for name in NAMES
        if name != gone
    ]
    return CloudView(servers={server.id: server for server in (*servers, *more)})


def running(*, missing: str = "", not_ready: str = "", members: bool = True) -> Live:
    nodes = [node(name, ready=name != not_ready) for name in NODES if name != missing]
    return live.read(nodes, [etcd("control-plane-0", ready=members)], [])


def look(
    cloud: CloudView, running: Live, now: dict[str, Any] | None = None, interrupted: tuple[str, ...] = ()
) -> Status:
    outputs = exports_of(raw())
    for name, values in outputs["nodes"].items():
        values.update({"server-id": f"id-{name}", "address": f"address-{name}"})
    settings, exports = load(now or raw()), read_exports(outputs)
    situation = Situation(settings=settings, plan=plan(settings, parse(exports.raw)), exports=exports, live=running)
    return compare("demo", situation, cloud, interrupted)


def of(found: Status, name: str) -> NodeStatus:
    return next(item for item in found.nodes if item.node == name)


def test_a_whole_cluster_is_healthy() -> None:
    found = look(cloud(), running())
    assert found.healthy
    assert found.proposals == ()
    assert of(found, "load-balancer").kubernetes == "-"


def test_a_server_that_is_gone_is_healed() -> None:
    found = look(cloud(gone="worker-1"), running(not_ready="worker-1"))
    assert of(found, "worker-1").broken == ("server id-worker-1 is gone from the cloud", "Node is NotReady")
    assert [(p.command, p.edits) for p in found.proposals] == [
        ("nodewright heal worker-1", ("workers.worker.heal.worker-1: not set → 1",))
    ]


def test_a_missing_node_and_a_stopped_server_are_broken() -> None:
    found = look(cloud(changed={"worker-0": "SHUTOFF"}), running(missing="worker-1"))
    assert of(found, "worker-0").broken == ("server is SHUTOFF",)
    assert of(found, "worker-1").broken == ("no Node in Kubernetes",)
    assert found.proposals[0].command == "nodewright heal worker-0 worker-1"


def test_a_server_that_is_being_made_is_not_broken() -> None:
    assert look(cloud(changed={"worker-0": "BUILD"}), running()).healthy


def test_another_address_is_seen() -> None:
    other = CloudServer(id="id-worker-0", node="worker-0", status="ACTIVE", address="10.9.9.9")
    found = look(cloud(gone="worker-0", more=(other,)), running())
    assert of(found, "worker-0").broken == ("server has the address 10.9.9.9, the stack says address-worker-0",)


def test_masters_are_healed_before_workers_and_apart_from_them() -> None:
    found = look(cloud(gone="worker-0"), running(members=False))
    assert of(found, "control-plane-0").broken == ("etcd member is not ready",)
    assert [p.command for p in found.proposals] == ["nodewright heal control-plane-0", "nodewright heal worker-0"]


def test_what_was_asked_for_and_not_done_is_a_note() -> None:
    found = look(cloud(), running(), raw({"workers.worker.count": 3, "workers.worker.heal": {"worker-0": 1}}))
    assert of(found, "worker-2").notes == ("asked for; not made yet",)
    assert of(found, "worker-0").notes[0].startswith("to be replaced")
    assert [p.command for p in found.proposals] == ["nodewright create"]
    assert found.healthy


def test_what_runs_an_older_image_is_a_note() -> None:
    found = look(cloud(), running(), raw({"workers.worker.image": "node-2"}))
    assert of(found, "worker-0").notes == ("runs image node, wished node-2",)


def test_servers_and_nodes_that_the_stack_does_not_know_are_strangers() -> None:
    extra = CloudServer(id="id-x", node="worker-7", status="ACTIVE", address=None)
    nodes = live.read([node(name) for name in (*NODES, "worker-8")], [etcd("control-plane-0")], [])
    found = look(cloud(more=(extra,)), nodes)
    assert len(found.strangers) == 2
    assert not found.healthy


def test_what_could_not_be_asked_is_said_and_not_called_broken() -> None:
    found = look(CloudView(servers={}, unknown="no credentials"), live.unknown("timed out"))
    assert found.unknown == ("Kubernetes: timed out", "cloud: no credentials")
    assert found.healthy
    assert "as far as can be seen" in status.text(found)


def test_an_interrupted_operation_needs_attention() -> None:
    found = look(cloud(), running(), interrupted=("a dead process holds the stack: process 7",))
    assert not found.healthy
    assert "interrupted: a dead process" in status.text(found)
