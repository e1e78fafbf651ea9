"""What is refused before anything changes, because the cluster that exists would not survive it."""

from collections.abc import Iterator

from cluster.plan.birth import changed_birth_values
from cluster.plan.model import Change, NodePlan, PlanError, Role
from cluster.previous import Previous
from cluster.settings import ClusterSettings

SMALLEST_QUORATE = 3


def refuse(settings: ClusterSettings, nodes: tuple[NodePlan, ...], previous: Previous) -> None:
    """Raise `PlanError` with every reason, or do nothing; before the first `up` everything is possible."""
    if not previous.exists:
        return
    reasons = (
        *changed_birth_values(settings, previous),
        *_impossible_version(settings, previous),
        *_numbers_that_fall(settings, nodes, previous),
        *_lost_quorum(settings, nodes, previous),
        *_shrinking_volumes(nodes, previous),
    )
    if reasons:
        raise PlanError(reasons)


def quorum(members: int) -> int:
    """How many members of etcd must answer."""
    return members // 2 + 1


def _impossible_version(settings: ClusterSettings, previous: Previous) -> Iterator[str]:
    if previous.kubernetes_version is None:
        return
    old, new = previous.kubernetes_version, settings.kubernetes.version
    old_parts, new_parts = _version(old), _version(new)
    if new_parts < old_parts:
        yield (
            f"kubernetes.version: was {old}, now {new}; Kubernetes cannot go back, because etcd's data is already in "
            f"the newer form: set it to {old} or newer"
        )
    elif new_parts[:2] > (old_parts[0], old_parts[1] + 1):
        between = f"{old_parts[0]}.{old_parts[1] + 1}"
        yield (
            f"kubernetes.version: was {old}, now {new}, which leaves out a minor version; go to a version "
            f"{between}.x first, run up, then go on"
        )


def _numbers_that_fall(settings: ClusterSettings, nodes: tuple[NodePlan, ...], previous: Previous) -> Iterator[str]:
    """A lower generation would replace machines as a higher one does, which nobody means who sets it back."""
    falls: dict[str, tuple[int, int]] = {}
    for node in nodes:
        before = previous.nodes.get(node.key)
        if before is None:
            continue
        pool = f"workers.{node.pool}" if node.role is Role.WORKER else node.pool
        for path, old, new in (
            ("generation", before.cluster_generation, node.generations.cluster),
            (f"{pool}.generation", before.pool_generation, node.generations.pool),
            (f"{pool}.heal.{node.key}", before.heal, node.generations.heal),
        ):
            if new < old:
                falls[path] = (old, new)
    for path, (old, new) in falls.items():
        yield f"{path}: was {old}, now {new}; these numbers only rise: set it to {old}, or higher to replace machines"


def _lost_quorum(settings: ClusterSettings, nodes: tuple[NodePlan, ...], previous: Previous) -> Iterator[str]:
    old = len(previous.with_role(Role.CONTROL_PLANE))
    new = settings.control_plane.count
    masters = [node for node in nodes if node.role is Role.CONTROL_PLANE]
    replaced = [node.key for node in masters if node.change is Change.REPLACED]
    healed = [node.key for node in masters if node.key in replaced and _rises(node, previous)]
    rolled = old > 0 and len(replaced) == old and _is_roll(masters, previous, settings)
    if new < old and new < SMALLEST_QUORATE:
        yield (
            f"control-plane.count: was {old}, now {new}; etcd needs {quorum(old)} of {old} members now and 2 of 2 on "
            f"the way to {new}, where none may fail: keep it at 3 or more, or make a new cluster"
        )
    if new != old and replaced:
        yield (
            f"control-plane.count: was {old}, now {new}, while {_names(replaced)} would be replaced; etcd changes one "
            "member at a time: do one of the two, run up, then the other"
        )
    if len(healed) > 1 and not rolled:
        left = old - len(healed)
        yield (
            f"control-plane.heal: would replace {len(healed)} of {old} members of etcd in one up ({_names(healed)}); "
            f"{left} would be left and {quorum(old)} are needed: heal one, run up, then the next; or raise "
            "control-plane.generation, which replaces all of them one after another"
        )


def _shrinking_volumes(nodes: tuple[NodePlan, ...], previous: Previous) -> Iterator[str]:
    """Cinder takes no space back, and a file system would lose its end."""
    for volume in (volume for node in nodes for volume in node.volumes):
        old = previous.volumes.get(volume.name, 0)
        if volume.size_gib < old:
            yield (
                f"volume {volume.name}: had {old} GiB, now {volume.size_gib}; volumes only grow: set it to {old} or "
                "more, or make a smaller volume under a new name and copy the data"
            )


def _rises(node: NodePlan, previous: Previous) -> bool:
    before = previous.nodes.get(node.key)
    return before is not None and node.generations.heal > before.heal


def _is_roll(masters: list[NodePlan], previous: Previous, settings: ClusterSettings) -> bool:
    """Tell an ordered replacement of the whole control plane from machines that were picked by hand."""
    if previous.kubernetes_version not in {None, settings.kubernetes.version}:
        return True
    return any(
        node.generations.cluster > before.cluster_generation or node.generations.pool > before.pool_generation
        for node in masters
        if (before := previous.nodes.get(node.key))
    )


def _names(keys: list[str]) -> str:
    return ", ".join(keys)


def _version(text: str) -> tuple[int, int, int]:
    major, minor, patch = (int(part) for part in text.split("."))
    return major, minor, patch
