"""After a crash: only what was surely being made, and is surely not the stack's, is taken away."""

from types import SimpleNamespace
from typing import Any

import pytest

from lifecycle import orphans, steps
from lifecycle.orphans import Orphan

URN = "urn:pulumi:demo::nodewright::nodewright:cluster:X$"


def state(
    *pending: tuple[str, str, dict[str, Any]], known: tuple[str, ...] = (), op: str = "creating"
) -> dict[str, Any]:
    operations = [
        {"type": op, "resource": {"urn": f"{URN}{kind}::{name}", "type": kind, "inputs": inputs}}
        for kind, name, inputs in pending
    ]
    return {"deployment": {"resources": [{"id": item} for item in known], "pending_operations": operations}}


def thing(**values: Any) -> SimpleNamespace:
    return SimpleNamespace(**{"metadata": {}, "attachments": [], "device_id": "", **values})


class Cloud:
    """Answers with what a test puts in, and notes what is deleted."""

    def __init__(self, **listings: list[SimpleNamespace]) -> None:
        self.deleted: list[str] = []
        self._listings = listings
        self.compute = self.network = self.block_storage = self

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("delete_", "remove_")):
            return lambda what, **_: self.deleted.append(str(getattr(what, "id", what)))
        if name == "wait_for_delete":
            return lambda *_, **__: None
        return lambda **_: list(self._listings.get(name, []))


SERVER: tuple[str, str, dict[str, Any]] = (steps.SERVER, "worker-1", {})
OURS = {"nodewright-cluster": "demo", "nodewright-node": "worker-1"}


def found(cloud: Cloud, state: dict[str, Any]) -> list[str]:
    return [orphan.id for orphan in orphans.find(cloud, "demo", state)]


def test_a_server_that_was_being_made_is_an_orphan() -> None:
    cloud = Cloud(servers=[thing(id="s1", metadata=OURS)])
    assert found(cloud, state(SERVER)) == ["s1"]


def test_a_thing_that_comes_after_its_sender_died_is_waited_for() -> None:
    servers: list[SimpleNamespace] = []
    cloud, now = Cloud(servers=servers), [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds
        if now[0] >= 6:
            servers[:] = [thing(id="s1", metadata=OURS)]

    late = orphans.find_settled(cloud, "demo", state(SERVER), lambda: now[0], sleep)
    assert [orphan.id for orphan in late] == ["s1"]
    assert now[0] == 6


def test_what_never_comes_is_not_waited_for_for_ever() -> None:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    assert orphans.find_settled(Cloud(), "demo", state(SERVER), lambda: now[0], sleep) == ()
    assert now[0] == orphans.SETTLE_S


def test_a_server_that_the_stack_knows_is_none() -> None:
    assert found(Cloud(servers=[thing(id="s1", metadata=OURS)]), state(SERVER, known=("s1",))) == []


@pytest.mark.parametrize(
    "metadata",
    [{}, {**OURS, "nodewright-cluster": "other"}, {**OURS, "nodewright-node": "worker-2"}],
    ids=["nobody's", "another cluster's", "another machine's"],
)
def test_a_server_of_someone_else_is_none(metadata: dict[str, str]) -> None:
    assert found(Cloud(servers=[thing(id="s1", metadata=metadata)]), state(SERVER)) == []


def test_without_a_creation_under_way_nothing_is_looked_for() -> None:
    cloud = Cloud(servers=[thing(id="s1", metadata=OURS)])
    assert found(cloud, state()) == []
    assert found(cloud, state(SERVER, op="deleting")) == []


def test_a_volume_that_a_machine_has_is_never_one() -> None:
    pending = (steps.VOLUME, "control-plane-0-state", {"metadata": {"nodewright-node": "control-plane-0"}})
    ours = {"nodewright-cluster": "demo", "nodewright-node": "control-plane-0"}
    free, used = thing(id="v1", metadata=ours), thing(id="v2", metadata=ours, attachments=[{"server_id": "x"}])
    assert found(Cloud(volumes=[free, used]), state(pending)) == ["v1"]


def test_a_port_in_use_is_never_one() -> None:
    pending = (steps.PORT, "worker-1", {"networkId": "n1"})
    cloud = Cloud(ports=[thing(id="p1"), thing(id="p2", device_id="server")])
    assert found(cloud, state(pending)) == ["p1"]


def test_a_security_rule_is_known_by_all_it_says() -> None:
    inputs = {
        "securityGroupId": "g",
        "direction": "ingress",
        "ethertype": "IPv4",
        "protocol": "tcp",
        "portRangeMin": 22.0,
    }
    same = {"direction": "ingress", "ether_type": "IPv4", "protocol": "tcp", "port_range_max": None}
    rest = {"remote_group_id": None, "remote_ip_prefix": None}
    rules = [thing(id="r1", port_range_min=22, **same, **rest), thing(id="r2", port_range_min=80, **same, **rest)]
    assert found(Cloud(security_group_rules=rules), state((steps.SECURITY_RULE, "ssh", inputs))) == ["r1"]


def test_a_network_is_known_by_its_name() -> None:
    cloud = Cloud(networks=[thing(id="n1", name="demo"), thing(id="n2", name="other")])
    assert found(cloud, state((orphans.NETWORK, "network", {"name": "demo"}))) == ["n1"]


def test_commands_leave_nothing_in_the_cloud() -> None:
    pending = state(("command:remote:Command", "worker-1-join", {}))
    assert orphans.in_the_cloud(orphans.pending_creates(pending)) == ()


def test_an_orphan_is_deleted_by_its_id() -> None:
    cloud = Cloud(servers=[thing(id="s1", metadata=OURS)], volumes=[])
    (orphan,) = orphans.find(cloud, "demo", state(SERVER))
    assert isinstance(orphan, Orphan)
    orphan.delete()
    assert cloud.deleted == ["s1"]
