"""Names of machines: stable keys, never positions in a list."""

import re

from cluster.settings import ClusterSettings, WorkerPoolSettings

CONTROL_PLANE = "control-plane"
LOAD_BALANCER = "load-balancer"
STORAGE = "storage"
REGISTRY = "registry"
FIRST_CONTROL_PLANE = f"{CONTROL_PLANE}-0"


def index_of(key: str, pool: str) -> int | None:
    """Read the number out of a pool's machine name; nothing when the name is not of that pool."""
    match = re.fullmatch(rf"{re.escape(pool)}-(0|[1-9]\d*)", key)
    return int(match[1]) if match else None


def worker_indexes(pool: WorkerPoolSettings, name: str) -> tuple[int, ...]:
    """The first `count` numbers whose names are not in `without`."""
    left_out = {index_of(key, name) for key in pool.without}
    indexes: list[int] = []
    index = 0
    while len(indexes) < pool.count:
        if index not in left_out:
            indexes.append(index)
        index += 1
    return tuple(indexes)


def control_plane_keys(settings: ClusterSettings) -> tuple[str, ...]:
    """The machines of the control plane, in order."""
    return tuple(f"{CONTROL_PLANE}-{index}" for index in range(settings.control_plane.count))


def steward_of(key: str, control_planes: tuple[str, ...]) -> str:
    """Who admits this machine and sees it off: the first control plane that is not itself, if there is one."""
    return next((other for other in control_planes if other != key), control_planes[0])
