"""The longest chain of steps is found through what resources need of each other."""

from benchmarks.critical_path import critical_path, total
from benchmarks.event_log import Step, steps


def urn(name: str) -> str:
    return f"urn:pulumi:s::p::t::{name}"


def deployment(**needs: list[str]) -> dict[str, object]:
    return {"resources": [{"urn": urn(name), "dependencies": [urn(x) for x in used]} for name, used in needs.items()]}


def step(op: str, name: str, began: float, ended: float) -> Step:
    return Step(urn=urn(name), op=op, began=began, ended=ended)


def names(path: list[Step]) -> list[str]:
    return [step.name for step in path]


def test_the_slower_of_two_ways_counts() -> None:
    after = deployment(port=[], volume=[], server=["port", "volume"])
    done = [step("create", "port", 0, 1), step("create", "volume", 0, 4), step("create", "server", 5, 7)]
    path = critical_path(done, {}, after)
    assert names(path) == ["create volume", "create server"]
    assert total(path) == 6


def test_what_has_no_step_is_looked_through() -> None:
    after = deployment(port=[], component=["port"], server=["component"])
    done = [step("create", "port", 0, 1), step("create", "server", 1, 2)]
    assert names(critical_path(done, {}, after)) == ["create port", "create server"]


def test_a_replacement_waits_for_who_leaves_first() -> None:
    both = deployment(server=[], member=["server"])
    done = [
        step("delete-replaced", "member", 0, 3),
        step("delete-replaced", "server", 3, 4),
        step("create-replacement", "server", 4, 9),
        step("create-replacement", "member", 9, 10),
    ]
    assert names(critical_path(done, both, both)) == [
        "delete-replaced member",
        "delete-replaced server",
        "create-replacement server",
        "create-replacement member",
    ]


def test_steps_are_paired_and_what_stays_is_left_out() -> None:
    def event(kind: str, op: str, name: str = "port", *, custom: bool = True) -> dict[str, object]:
        return {kind: {"metadata": {"urn": urn(name), "op": op, "new": {"custom": custom}}}}

    seen = [(1.0, event("resourcePreEvent", "create")), (3.5, event("resOutputsEvent", "create"))]
    seen.append((3.6, event("resourcePreEvent", "create", "berth", custom=False)))
    seen.append((9.9, event("resOutputsEvent", "create", "berth", custom=False)))
    seen += [(4.0, event("resourcePreEvent", "same")), (4.1, event("resOutputsEvent", "same"))]
    assert [(found.name, found.seconds) for found in steps(seen)] == [("create port", 2.5)]
