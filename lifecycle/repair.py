"""After a crash: what a dead process left in the way is taken away, and said."""

import time
from collections.abc import Callable
from typing import Any

from lifecycle import cloud, orphans
from lifecycle.engine import Engine
from lifecycle.errors import Exit, LifecycleError
from lifecycle.locks import POLL_S, Lock

State = dict[str, Any]


def repair(
    engine: Engine, cluster: str, cloud_name: str | None, *, wait_s: float, steal_lock: bool
) -> tuple[State, tuple[str, ...]]:
    """Make the stack fit for an update; give its state, and say what was done.

    A lock of a living process is waited for or respected.
    """
    done = [*_free(engine, wait_s=wait_s, steal_lock=steal_lock)]
    state = engine.state()
    done += _clear_pending(engine, state, cluster, lambda: cloud.connect(cloud_name))
    return state, tuple(done)


def inspect(engine: Engine, state: State) -> tuple[str, ...]:
    """Say what `repair` would find, and change nothing."""
    found = [
        f"{'a dead process holds' if lock.owner_is_gone else 'someone holds'} the stack: {lock}"
        for lock in engine.locks()
    ]
    operations = _pending(state)
    if operations:
        found.append(f"an update ended in the middle of {', '.join(map(_say, operations))}")
    return tuple(found)


def _free(engine: Engine, *, wait_s: float, steal_lock: bool) -> list[str]:
    deadline = time.monotonic() + wait_s
    while locks := engine.locks():
        gone = [lock for lock in locks if lock.owner_is_gone]
        if len(gone) == len(locks) or steal_lock:
            engine.break_locks()
            return [f"removed the lock of {lock}, {_why(lock)}" for lock in locks]
        if time.monotonic() >= deadline:
            raise _busy(next(lock for lock in locks if lock not in gone))
        time.sleep(POLL_S)
    return []


def _why(lock: Lock) -> str:
    return "which is gone" if lock.owner_is_gone else "because --steal-lock was given"


def _busy(lock: Lock) -> LifecycleError:
    if lock.is_from_here:
        text = f"taking the stack: {lock} is at work on it; wait for it, or use --wait"
    else:
        text = (
            f"taking the stack: {lock} holds it, and whether that process lives can only be seen there; "
            "when you know that it is gone, use --steal-lock"
        )
    return LifecycleError(Exit.BUSY, text)


def _pending(state: State) -> list[dict[str, Any]]:
    return list((state.get("deployment") or {}).get("pending_operations") or ())


def _say(operation: dict[str, Any]) -> str:
    return f"{operation['type']} {operation['resource']['urn'].rpartition('::')[2]}"


def _clear_pending(engine: Engine, state: State, cluster: str, connect: Callable[[], Any]) -> list[str]:
    """Forget operations that nobody finishes any more.

    Updates and deletions need no more than that: the state still holds their resources, and the next update does them
    again, on things that take a second time well. A creation may have left something in the cloud: it goes first.
    """
    operations = _pending(state)
    if not operations:
        return []
    done = [f"an update had ended in the middle of {', '.join(map(_say, operations))}"]
    if orphans.in_the_cloud(orphans.pending_creates(state)):
        with cloud.asking("looking for what an update that died has left in the cloud"):
            for orphan in orphans.find_settled(connect(), cluster, state):
                orphan.delete()
                done.append(f"deleted {orphan} in the cloud: it was being made, and the stack does not know it")
    state["deployment"]["pending_operations"] = []
    engine.write_state(state)
    return done
