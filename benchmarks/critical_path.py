"""The longest chain of steps that had to wait for each other: no run can be shorter."""

from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.event_log import Step

DELETIONS = {"delete", "delete-replaced"}
CREATIONS = {"create", "create-replacement", "update", "import", "read"}


def critical_path(steps: Iterable[Step], before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Step]:
    """Find the chain; `before` and `after` are what the engine kept of the stack around the run."""
    graph = waits(list(steps), needs(before), needs(after))
    best: dict[Step, list[Step]] = {}

    def longest(step: Step) -> list[Step]:
        if step not in best:
            chains = [longest(earlier) for earlier in graph[step]]
            best[step] = [*max(chains, key=total, default=[]), step]
        return best[step]

    return max((longest(step) for step in graph), key=total, default=[])


def total(chain: Iterable[Step]) -> float:
    return sum(step.seconds for step in chain)


def needs(deployment: Mapping[str, Any]) -> dict[str, set[str]]:
    """What each resource depends on, through components and resources without a step of their own, too."""
    return {
        resource["urn"]: {
            *resource.get("dependencies", ()),
            *(urn for urns in (resource.get("propertyDependencies") or {}).values() for urn in urns or ()),
            *([resource["provider"].rpartition("::")[0]] if resource.get("provider") else []),
        }
        for resource in deployment.get("resources", ())
    }


def waits(
    steps: list[Step], needed_before: Mapping[str, set[str]], needed_after: Mapping[str, set[str]]
) -> dict[Step, list[Step]]:
    """For each step the ones it had to wait for."""
    made = {step.urn: step for step in steps if step.op in CREATIONS}
    gone = {step.urn: step for step in steps if step.op in DELETIONS}
    users: dict[str, set[str]] = {}
    for user, used in needed_before.items():
        for urn in reach(used, needed_before, gone):
            users.setdefault(urn, set()).add(user)
    graph: dict[Step, list[Step]] = {}
    for step in steps:
        if step.op in DELETIONS:
            graph[step] = [gone[user] for user in users.get(step.urn, ()) if user in gone and user != step.urn]
            continue
        earlier = [made[urn] for urn in reach(needed_after.get(step.urn, set()), needed_after, made)]
        if step.op == "create-replacement" and step.urn in gone and gone[step.urn].ended <= step.began:
            earlier.append(gone[step.urn])
        graph[step] = earlier
    return graph


def reach(urns: set[str], needed: Mapping[str, set[str]], stepped: Mapping[str, Step]) -> set[str]:
    """Those of the resources that have a step; of one without, the nearest behind it that have."""
    found, seen, open_ends = set(), set(), list(urns)
    while open_ends:
        urn = open_ends.pop()
        if urn in seen:
            continue
        seen.add(urn)
        if urn in stepped:
            found.add(urn)
        else:
            open_ends += needed.get(urn, ())
    return found
