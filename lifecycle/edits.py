"""What each operation writes into the stack file. Pure: settings and exports in, edits out.

An operation that was begun and not finished is not begun again: while the file already asks for more than the last `up`
delivered, or a machine's replacement is not finished, the same call edits nothing and goes on.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from cluster.plan import plan
from cluster.plan.names import CONTROL_PLANE, LOAD_BALANCER, REGISTRY, STORAGE, worker_indexes
from cluster.previous import NOTHING
from cluster.settings import ClusterSettings, Pool
from lifecycle.errors import Exit, LifecycleError
from lifecycle.exports import Exports


@dataclass(frozen=True, kw_only=True)
class Edit:
    """One value of the stack file, before and after."""

    path: tuple[str, ...]
    old: Any
    new: Any

    def __str__(self) -> str:
        """Give the line a person reads."""
        return f"{'.'.join(self.path)}: {_shown(self.old)} → {_shown(self.new)}"


def scale(settings: ClusterSettings, pool: str, count: int) -> tuple[Edit, ...]:
    """Give a pool a number of machines."""
    path, section = _pool(settings, pool, f"scaling {pool}")
    if not hasattr(section, "count"):
        text = f"scaling {pool}: there is always one; scale control-plane or a pool of workers"
        raise LifecycleError(Exit.USAGE, text)
    if count < 0:
        raise LifecycleError(Exit.USAGE, f"scaling {pool}: {count} is no count; give 0 or more")
    return _edits((*path, "count"), section.count, count)


def remove(settings: ClusterSettings, pool: str, nodes: Iterable[str]) -> tuple[Edit, ...]:
    """Take chosen machines out of a pool; the others keep their names."""
    doing = f"removing from {pool}"
    path, section = _pool(settings, pool, doing)
    workers = settings.workers.get(pool)
    if workers is None:
        text = f"{doing}: its machines are not chosen by name; give a count instead: scale {pool} COUNT"
        raise LifecycleError(Exit.USAGE, text)
    members = {f"{pool}-{index}" for index in worker_indexes(workers, pool)}
    wished = tuple(dict.fromkeys(node for node in nodes if node not in workers.without))
    for node in wished:
        if node not in members:
            raise _unknown_node(doing, node, members)
    if not wished:
        return ()
    return (
        *_edits((*path, "count"), workers.count, workers.count - len(wished)),
        *_edits((*path, "without"), workers.without, (*workers.without, *wished)),
    )


def heal(
    settings: ClusterSettings, exports: Exports, nodes: Iterable[str], number: int | None = None
) -> tuple[Edit, ...]:
    """Replace machines: raise the heal number of each by one, or to `number`."""
    return tuple(edit for node in dict.fromkeys(nodes) for edit in _heal_one(settings, exports, node, number))


def roll(
    settings: ClusterSettings, exports: Exports, pool: str | None = None, generation: int | None = None
) -> tuple[Edit, ...]:
    """Replace every machine of the cluster or of a pool, in order: raise its generation."""
    if pool is None:
        path: tuple[str, ...] = ("generation",)
        scope = exports.nodes
        asked, made = settings.generation, [node.cluster_generation for node in scope.values()]
    else:
        section_path, section = _pool(settings, pool, f"rolling {pool}")
        path = (*section_path, "generation")
        scope = {key: node for key, node in exports.nodes.items() if node.pool == pool}
        asked, made = section.generation, [node.pool_generation for node in scope.values()]
    pending = bool(exports.unfinished & set(scope)) or any(asked > delivered for delivered in made)
    wished = generation if generation is not None else asked if pending and asked else asked + 1
    if wished < asked:
        text = f"rolling: generation {wished} is below {asked}, which was asked for before; give {asked} or more"
        raise LifecycleError(Exit.USAGE, text)
    return _edits(path, asked, wished)


def upgrade(settings: ClusterSettings, version: str, image: str | None = None) -> tuple[Edit, ...]:
    """Bring every node to a Kubernetes version, and to an image made for it."""
    edits = [*_edits(("kubernetes", "version"), settings.kubernetes.version, version)]
    if image is not None:
        edits += _edits((CONTROL_PLANE, "image"), settings.control_plane.image, image)
        for name, pool in settings.workers.items():
            if pool.image is not None:
                edits += _edits(("workers", name, "image"), pool.image, image)
    return tuple(edits)


def node_pools(settings: ClusterSettings) -> dict[str, str]:
    """Name every machine that the settings ask for, with its pool."""
    return {node.key: node.pool for node in plan(settings, NOTHING).nodes}


def _heal_one(settings: ClusterSettings, exports: Exports, node: str, number: int | None) -> tuple[Edit, ...]:
    doing = f"healing {node}"
    pools = node_pools(settings)
    if node not in pools:
        raise _unknown_node(doing, node, pools)
    path, section = _pool(settings, pools[node], doing)
    asked = section.heal.get(node, 0)
    before = exports.nodes.get(node)
    pending = node in exports.unfinished or (before is not None and asked > before.heal)
    wished = number if number is not None else asked if pending and asked else asked + 1
    if wished < asked:
        text = f"{doing}: number {wished} is below {asked}, which was asked for before; give {asked} or more"
        raise LifecycleError(Exit.USAGE, text)
    return _edits((*path, "heal", node), asked or None, wished or None)


def _pool(settings: ClusterSettings, pool: str, doing: str) -> tuple[tuple[str, ...], Pool]:
    sections: dict[str, Pool | None] = {
        CONTROL_PLANE: settings.control_plane,
        LOAD_BALANCER: settings.load_balancer,
        STORAGE: settings.storage,
        REGISTRY: settings.registry,
    }
    section = sections.get(pool)
    if section is not None:
        return (pool,), section
    if pool in settings.workers:
        return ("workers", pool), settings.workers[pool]
    known = (*(name for name, present in sections.items() if present), *settings.workers)
    raise LifecycleError(Exit.USAGE, f"{doing}: there is no pool {pool}; {_suggest(pool, known)}")


def _unknown_node(doing: str, node: str, known: Iterable[str]) -> LifecycleError:
    return LifecycleError(Exit.USAGE, f"{doing}: there is no machine {node}; {_suggest(node, tuple(known))}")


def _suggest(word: str, known: tuple[str, ...]) -> str:
    close = get_close_matches(word, known, n=1)
    return f"did you mean {close[0]}?" if close else f"there are: {', '.join(sorted(known))}"


def _edits(path: tuple[str, ...], old: Any, new: Any) -> tuple[Edit, ...]:
    return (Edit(path=path, old=old, new=new),) if old != new else ()


def _shown(value: Any) -> str:
    if value is None or value == ():
        return "not set"
    return f"[{', '.join(value)}]" if isinstance(value, tuple) else str(value)
