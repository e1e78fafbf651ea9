"""Events of the engine become phases of machines, with their times."""

from types import SimpleNamespace
from typing import Any

from lifecycle.exports import goes_with_others
from lifecycle.progress import Progress, Tracker

URN = "urn:pulumi:demo::nodewright::nodewright:cluster:Machine$"
SERVER, COMMAND = "openstack:compute/instance:Instance", "command:remote:Command"


def event(kind: str, op: str, type_: str, name: str, *, retained: bool = False, leaves: bool = True) -> Any:
    old = SimpleNamespace(retain_on_delete=retained, inputs={"delete": "leave"} if leaves else {})
    metadata = SimpleNamespace(op=op, urn=f"{URN}{type_}::{name}", diffs=None, detailed_diff=None, old=old)
    kinds = {"resource_pre_event": None, "res_outputs_event": None, "res_op_failed_event": None}
    return SimpleNamespace(**{**kinds, kind: SimpleNamespace(metadata=metadata)})


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def follow(*events: tuple[float, Any], forgotten: tuple[str, ...] = ()) -> tuple[Tracker, list[Progress]]:
    clock, heard = Clock(), list[Progress]()
    tracker = Tracker({"worker-1", "worker-10"}, heard.append, clock, forgotten=forgotten)
    for moment, happened in events:
        clock.now = moment
        tracker.hear(happened)
    return tracker, heard


def test_a_heal_is_told_phase_by_phase() -> None:
    tracker, heard = follow(
        (0, event("resource_pre_event", "delete-replaced", COMMAND, "worker-1-member")),
        (4, event("res_outputs_event", "delete-replaced", COMMAND, "worker-1-member")),
        (4, event("resource_pre_event", "delete-replaced", SERVER, "worker-1")),
        (6, event("res_outputs_event", "delete-replaced", SERVER, "worker-1")),
        (6, event("resource_pre_event", "create-replacement", SERVER, "worker-1")),
        (11, event("res_outputs_event", "create-replacement", SERVER, "worker-1")),
        (11, event("resource_pre_event", "create-replacement", COMMAND, "worker-1-join")),
        (17, event("res_outputs_event", "create-replacement", COMMAND, "worker-1-join")),
    )
    (node,) = tracker.results()
    assert (node.node, node.action, node.seconds) == ("worker-1", "replaced", 17.0)
    assert [(phase.name, phase.seconds) for phase in node.phases] == [
        ("drain and leave", 4.0),
        ("delete machine", 2.0),
        ("make machine", 5.0),
        ("join", 6.0),
    ]
    assert [progress.state for progress in heard] == ["begun", "done"] * 4


def test_a_failure_is_kept_by_name() -> None:
    tracker, _ = follow(
        (0, event("resource_pre_event", "create", COMMAND, "worker-10-join")),
        (3, event("res_op_failed_event", "create", COMMAND, "worker-10-join")),
    )
    assert tracker.failures == ["worker-10: join"]
    assert tracker.results()[0].phases[0].failed


def test_what_stays_and_what_only_the_engine_knows_is_silent() -> None:
    tracker, heard = follow(
        (0, event("res_outputs_event", "same", SERVER, "worker-1")),
        (0, event("res_outputs_event", "create", "nodewright:cluster:Machine", "worker-1")),
    )
    assert tracker.results() == ()
    assert heard == []


def test_what_belongs_to_no_machine_belongs_to_the_cluster() -> None:
    tracker, _ = follow((1, event("res_outputs_event", "create", "openstack:networking/network:Network", "network")))
    assert tracker.results()[0].node == "cluster"


def test_a_leave_that_nobody_is_asked_for_is_not_told() -> None:
    steward_stays = (0, event("res_outputs_event", "delete", COMMAND, "worker-1-member"))
    goes_too = (0, event("res_outputs_event", "delete", COMMAND, "worker-10-member"))
    tracker, heard = follow(steward_stays, goes_too, forgotten=(f"{URN}{COMMAND}::worker-10-member",))
    assert [(node.node, node.phases[0].name) for node in tracker.results()] == [("worker-1", "drain and leave")]
    assert [progress.node for progress in heard] == ["worker-1"]


def test_a_step_that_has_nothing_to_do_when_it_goes_is_not_told() -> None:
    """The only master leaves nobody behind that could see it off."""
    for kind in (COMMAND, "command:remote:CopyToRemote"):
        tracker, _ = follow((0, event("res_outputs_event", "delete-replaced", kind, "worker-1-member", leaves=False)))
        assert tracker.results() == ()


def test_a_file_that_comes_is_told_as_one() -> None:
    tracker, _ = follow((0, event("res_outputs_event", "create", "command:remote:CopyToRemote", "worker-1-archive")))
    assert tracker.results()[0].phases[0].name == "make file archive"


def test_a_machine_whose_last_part_goes_is_removed() -> None:
    tracker, _ = follow((0, event("res_outputs_event", "delete", "openstack:networking/port:Port", "worker-1")))
    assert tracker.results()[0].action == "removed"


def test_a_volume_that_stays_in_the_cloud_is_not_told_as_deleted() -> None:
    volume = "openstack:blockstorage/volume:Volume"
    tracker, _ = follow((0, event("res_outputs_event", "delete", volume, "worker-1-data", retained=True)))
    assert tracker.results() == ()


def test_in_a_destruction_what_goes_with_others_is_named_by_the_state() -> None:
    resources = [{"urn": "a", "deletedWith": "b"}, {"urn": "b"}]
    assert goes_with_others({"deployment": {"resources": resources}}) == {"a"}
    assert goes_with_others({}) == frozenset()
