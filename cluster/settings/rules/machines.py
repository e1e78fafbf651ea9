"""Rules about machines: counts, names, labels and taints, drains."""

import re
from collections.abc import Iterator

from cluster.settings.faults import Fault
from cluster.settings.pools import ControlPlaneSettings, DrainSettings, NodePool, Pool, WorkerPoolSettings
from cluster.settings.rules.parts import Parts

RESERVED_POOL_NAMES = ("control-plane", "load-balancer", "registry", "storage")
OWN_LABEL_PREFIX = "nodewright.dev/"


def control_plane_keeps_quorum(parts: Parts) -> Iterator[Fault]:
    """Two or four members of etcd survive no more failures than one or three."""
    plane = parts.control_plane
    if plane and plane.count % 2 == 0:
        yield Fault(
            "control-plane.count", f"is {plane.count}; give 1, 3 or 5: an even number survives no more failures"
        )
    if plane and plane.count > 1 and not parts.has_load_balancer:
        yield Fault(
            "load-balancer", f"is missing; add it: a control plane of {plane.count} is reached through a load balancer"
        )


def only_control_plane_has_a_volume(parts: Parts) -> Iterator[Fault]:
    """Without a volume the heal of the only control plane would lose the cluster."""
    plane = parts.control_plane
    if plane and plane.count == 1 and plane.volume_gib is None:
        yield Fault(
            "control-plane.volume-gib",
            "is missing; give a size like 10: the only control plane keeps etcd and the keys on a volume, "
            "or its heal would lose the cluster",
        )
    if plane and plane.volume_type and plane.volume_gib is None:
        yield Fault("control-plane.volume-type", "is of no volume; give volume-gib too, or remove it")


def pool_names_are_free(parts: Parts) -> Iterator[Fault]:
    """Names of machines must not meet those of other roles."""
    for name in parts.workers:
        if name in RESERVED_POOL_NAMES:
            yield Fault(
                f"workers.{name}", "is the name of another kind of machine; give the pool another name, like worker"
            )


def healed_machines_exist(parts: Parts) -> Iterator[Fault]:
    """A heal of a machine that is not there was surely meant for another."""
    for path, name, pool in parts.pools():
        members = _members(name, pool)
        for key in pool.heal:
            if key not in members:
                known = _some(members)
                yield Fault(
                    f"{path}.heal.{key}", f"names no machine of this pool; it has {known}: correct or remove it"
                )


def left_out_machines_are_named_well(parts: Parts) -> Iterator[Fault]:
    """What `without` lists must be a name the pool could give."""
    for name, pool in parts.workers.items():
        path = f"workers.{name}.without"
        for key in pool.without:
            if not re.fullmatch(rf"{re.escape(name)}-(0|[1-9]\d{{0,3}})", key):
                yield Fault(path, f"lists {key!r}; names of this pool are {name}-0, {name}-1, and so on")
        for key in _twice(pool.without):
            yield Fault(path, f"lists {key!r} twice; once is enough")


def a_pool_is_never_gone_as_a_whole(parts: Parts) -> Iterator[Fault]:
    """Replacing all workers of a pool at once leaves its pods nowhere to go."""
    for name, pool in parts.workers.items():
        if 1 < pool.count <= pool.max_unavailable:
            yield Fault(
                f"workers.{name}.max-unavailable",
                f"is {pool.max_unavailable} of a pool of {pool.count}; give at most {pool.count - 1}",
            )


def labels_and_taints_are_the_users_own(parts: Parts) -> Iterator[Fault]:
    """Labels that Nodewright sets itself, and taints that would overwrite each other."""
    for path, _, pool in parts.pools():
        if not isinstance(pool, NodePool):
            continue
        for key in pool.labels:
            if key.startswith(OWN_LABEL_PREFIX):
                yield Fault(
                    f"{path}.labels.{key}", f"starts with {OWN_LABEL_PREFIX}, which Nodewright sets; take another"
                )
        for taint in _twice(tuple(_taint_identity(taint) for taint in pool.taints)):
            yield Fault(f"{path}.taints", f"lists {taint!r} twice; one key and effect has one value")


def drains_can_end(parts: Parts) -> Iterator[Fault]:
    """A drain whose pods get longer to end than the drain itself can never succeed."""
    drains: list[tuple[str, DrainSettings | None]] = [("drain", parts.drain)]
    drains += ((f"workers.{name}.drain", pool.drain) for name, pool in parts.workers.items())
    for path, drain in drains:
        if drain and drain.timeout_s <= drain.grace_s:
            yield Fault(
                f"{path}.timeout-s",
                f"is {drain.timeout_s}, not more than the grace of {drain.grace_s}; give at least {drain.grace_s + 1}",
            )


def _members(name: str, pool: Pool) -> tuple[str, ...]:
    """Names that may be healed; those in `without` stay allowed, so that leaving a machine out is one edit."""
    if isinstance(pool, WorkerPoolSettings):
        return tuple(f"{name}-{index}" for index in range(pool.count + len(set(pool.without))))
    if isinstance(pool, ControlPlaneSettings):
        return tuple(f"{name}-{index}" for index in range(pool.count))
    return (name,)


def _some(members: tuple[str, ...]) -> str:
    if not members:
        return "no machine"
    return members[0] if len(members) == 1 else f"{members[0]} to {members[-1]}"


def _taint_identity(taint: str) -> str:
    pair, _, effect = taint.rpartition(":")
    return f"{pair.partition('=')[0]}:{effect}"


def _twice(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({value for value in values if values.count(value) > 1}))


RULES = (
    control_plane_keeps_quorum,
    only_control_plane_has_a_volume,
    pool_names_are_free,
    healed_machines_exist,
    left_out_machines_are_named_well,
    a_pool_is_never_gone_as_a_whole,
    labels_and_taints_are_the_users_own,
    drains_can_end,
)
