"""The rules a change is held to, where no recorded preview breaks them."""

from dataclasses import replace
from typing import Any

import pytest

from cluster.plan import plan
from cluster.previous import parse
from cluster.settings import load
from lifecycle import live
from lifecycle.exports import read_exports
from lifecycle.live import Live
from lifecycle.situation import Situation
from lifecycle.steps import Step, fold, node_of
from lifecycle.ticket import Level, Ticket, destruction, markdown, ticket
from tests.examples import raw

TYPES = {
    "server": "openstack:compute/instance:Instance",
    "port": "openstack:networking/port:Port",
    "volume": "openstack:blockstorage/volume:Volume",
    "command": "command:remote:Command",
    "rule": "openstack:networking/secGroupRule:SecGroupRule",
}


def step(op: str, kind: str, name: str, *changed: str) -> Step:
    return Step(op=op, urn=f"urn:pulumi:demo::nodewright::nodewright:cluster:X${TYPES[kind]}::{name}", changed=changed)


def exports_of(settings: dict[str, Any]) -> dict[str, Any]:
    made = plan(load(settings), parse({}))
    return {
        "kubernetes-version": made.kubernetes_version,
        "birth": dict(made.birth),
        "nodes": {
            node.key: {
                "role": node.role.value,
                "pool": node.pool,
                "incarnation": node.incarnation,
                "generations": vars(node.generations),
                "image": node.image,
                "flavor": node.flavor,
                "kubernetes-version": node.kubernetes_version,
            }
            for node in made.nodes
        },
        "volumes": {"control-plane-0-state": {"id": "0d3b"}},
    }


def make(
    *steps: Step, before: dict[str, Any] | None = None, now: dict[str, Any] | None = None, running: Live | None = None
) -> Ticket:
    settings = load(now or raw())
    exports = read_exports(exports_of(before or raw()))
    situation = Situation(
        settings=settings,
        plan=plan(settings, parse(exports.raw)),
        exports=exports,
        live=running or live.unknown("nobody asked"),
    )
    return ticket("demo", steps, situation)


def rules(made: Ticket, level: Level) -> list[str]:
    return [danger.rule for danger in made.dangers if danger.level is level]


def test_a_deleted_volume_stops_the_change() -> None:
    made = make(step("delete", "volume", "control-plane-0-state"))
    assert rules(made, Level.STOP) == ["data-volume"]
    assert made.stops(frozenset({"data-volume"})) == ()


def test_a_replaced_volume_stops_the_change() -> None:
    assert rules(make(step("replace", "volume", "control-plane-0-state")), Level.STOP) == ["data-volume"]


def test_a_replacement_that_nobody_asked_for_stops_the_change() -> None:
    made = make(step("replace", "server", "worker-0", "networks"))
    assert rules(made, Level.STOP) == ["unasked-replacement"]
    assert made.nodes[0].reasons == ("nobody asked for it; changed: networks",)


def test_a_new_address_stops_the_change() -> None:
    asked = raw({"workers.worker.heal": {"worker-0": 1}})
    made = make(step("replace", "server", "worker-0"), step("replace", "port", "worker-0"), now=asked)
    assert rules(made, Level.STOP) == ["address"]


def test_leaving_and_joining_on_the_same_machine_stops_the_change() -> None:
    made = make(step("replace", "command", "worker-0-member"))
    assert rules(made, Level.STOP) == ["leaves-and-joins"]


def test_a_replacement_that_was_not_finished_may_go_on() -> None:
    outputs = exports_of(raw())
    member = {"urn": "urn:pulumi:demo::nodewright::command:remote:Command::worker-0-member", "pendingReplacement": True}
    exports = read_exports(outputs, {"deployment": {"resources": [member]}})
    settings = load(raw())
    situation = Situation(
        settings=settings, plan=plan(settings, parse(outputs)), exports=exports, live=live.unknown("nobody asked")
    )
    made = ticket("demo", [step("replace", "command", "worker-0-member")], situation)
    assert rules(made, Level.STOP) == []


def test_more_machines_at_once_than_may_be_away_stop_the_change() -> None:
    made = make(step("replace", "server", "worker-0"), step("replace", "server", "worker-1"))
    assert "max-unavailable" in rules(made, Level.STOP)


def test_open_doors_are_said_when_a_rule_is_made() -> None:
    assert rules(make(step("create", "rule", "security-worker-ssh")), Level.WARNING) == ["open-ssh", "open-api"]
    closed = raw({"security": {"ssh-allowed-cidrs": ["10.0.0.0/8"], "api-allowed-cidrs": ["10.0.0.0/8"]}})
    assert rules(make(step("create", "rule", "security-worker-ssh"), now=closed), Level.WARNING) == []


def test_machines_that_one_host_may_take_together_are_said() -> None:
    asked = raw({"workers.worker.count": 3, "workers.worker.spread": "none"})
    made = make(step("create", "server", "worker-2"), now=asked)
    assert rules(made, Level.WARNING) == ["spread"]


def test_what_forbids_comes_before_what_only_warns() -> None:
    made = make(step("create", "rule", "security-x"), step("delete", "volume", "control-plane-0-state"))
    assert [danger.level for danger in made.dangers][0] is Level.STOP


def test_a_destruction_names_the_volumes_that_go() -> None:
    steps = [step("delete", "server", "worker-0"), step("delete", "volume", "control-plane-0-state")]
    made = destruction("demo", steps, read_exports(exports_of(raw())))
    assert "control-plane-0-state" in made.dangers[0].text
    assert [node.node for node in made.nodes] == ["worker-0"]


def test_a_volume_that_stays_is_named_with_how_to_take_it_over_and_to_remove_it() -> None:
    left = replace(step("delete", "volume", "control-plane-0-state"), retained=True)
    for made in (make(left), destruction("demo", [left], read_exports(exports_of(raw())))):
        text = " ".join(danger.text for danger in made.dangers)
        assert "volume control-plane-0-state, 0d3b" in text
        assert "`adopt: 0d3b`" in text
        assert "`openstack volume delete 0d3b`" in text


def test_names_from_the_cluster_are_not_read_as_markdown() -> None:
    pods = [
        {
            "metadata": {"namespace": "a", "name": "x|y<b>*`", "ownerReferences": []},
            "spec": {"nodeName": "worker-0"},
            "status": {"phase": "Running"},
        }
    ]
    asked = raw({"workers.worker.heal": {"worker-0": 1}})
    shown = markdown(make(step("replace", "server", "worker-0"), now=asked, running=live.read([], pods, [])))
    assert "a/x\\|y&lt;b&gt;\\*\\`" in shown


def test_a_machine_is_known_by_the_longest_name_that_fits() -> None:
    nodes = {"worker-1", "worker-10", "worker", "a-1", "a-1-0"}
    assert node_of("worker-10-join", nodes) == "worker-10"
    assert node_of("worker-1-join", nodes) == "worker-1"
    assert node_of("a-1-0-ready", nodes) == "a-1-0"
    assert node_of("network", nodes) is None


@pytest.mark.parametrize(
    ("ops", "action"),
    [
        (["delete-replaced", "replace", "create-replacement"], "replaced"),
        (["create"], "added"),
        (["delete"], "removed"),
        (["same"], "kept"),
        (["refresh", "update"], "updated"),
    ],
)
def test_the_steps_of_a_resource_are_one_change(ops: list[str], action: str) -> None:
    (change,) = fold(step(op, "server", "worker-0") for op in ops)
    assert change.action.value == action
