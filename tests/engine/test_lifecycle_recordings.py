"""Previews of the real engine, recorded for the golden tickets: pure tests read them, `--update-golden` writes them.

Without the flag the test says when the engine's steps are no longer those that were recorded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lifecycle.engine import Engine
from lifecycle.stack_file import StackFile
from tests.engine.clusters import BASE, cluster
from tests.engine.lifecycle_project import STACK, Project, environment
from tests.engine.shelf import Shelf

RECORDED = Path(__file__).parents[1] / "golden" / "tickets"

STORAGE: dict[str, Any] = {
    "flavor": "m1.small",
    "volumes": [{"name": "data", "size-gib": 5, "mount-to": "/volume"}],
    "exports": [{"directory": "/volume/nfs", "to": "10.20.0.0/24"}],
}
# Its volume goes with it: that is what one of the tickets must stop.
REGISTRY: dict[str, Any] = {"flavor": "m1.small", "volume-gib": 5, "keep-volume": False}

pytestmark = pytest.mark.engine


@pytest.fixture
def directory(tmp_path: Path, plugin_home: Path) -> Iterator[Path]:
    with environment(plugin_home, tmp_path):
        yield tmp_path


def small(**changes: Any) -> dict[str, Any]:
    return cluster(workers={"count": 3, **changes.pop("workers", {})}, **changes)


def furnished(**changes: Any) -> dict[str, Any]:
    return cluster(**{"storage": STORAGE, "registry": REGISTRY, **changes})


def large(**changes: Any) -> dict[str, Any]:
    return cluster(count=3, **changes)


def test_previews_are_those_that_were_recorded(directory: Path, shelf: Shelf, request: pytest.FixtureRequest) -> None:
    update = bool(request.config.getoption("--update-golden", default=False))
    project = Project(directory, small(), shelf)
    _record(project, {"create": small()}, update=update)
    project.stands(small())
    heal = {"worker-1": 1}
    _record(
        project,
        {
            "nothing": small(),
            "scale-out": small(workers={"count": 4}),
            "scale-in-chosen": small(workers={"count": 2, "without": ["worker-1"]}),
            "heal-worker": small(workers={"heal": heal}),
            "heal-only-master": small(control_plane={"heal": {"control-plane-0": 1}}),
            "heal-load-balancer": small(load_balancer={**BASE["load-balancer"], "heal": {"load-balancer": 1}}),
            "image": small(control_plane={"image": "node-2"}, workers={"image": "node-2"}),
            "image-and-heal": small(workers={"image": "node-2", "heal": heal}),
            "image-and-generation": small(generation=1, control_plane={"image": "node-2"}, workers={"image": "node-2"}),
            "upgrade": small(kubernetes={"version": "1.34.5"}),
            "empty-pool": small(workers={"count": 0}),
        },
        update=update,
    )


def test_previews_of_three_masters_are_those_that_were_recorded(
    directory: Path, shelf: Shelf, request: pytest.FixtureRequest
) -> None:
    update = bool(request.config.getoption("--update-golden", default=False))
    project = Project(directory, large(), shelf)
    project.stands(large())
    _record(
        project,
        {
            "heal-master": large(control_plane={"heal": {"control-plane-1": 1}}),
            "roll": large(generation=1),
        },
        update=update,
    )


def test_previews_with_storage_and_registry_are_those_that_were_recorded(
    directory: Path, shelf: Shelf, request: pytest.FixtureRequest
) -> None:
    update = bool(request.config.getoption("--update-golden", default=False))
    near, far = {"server": "images.example:5000"}, {"server": "mirror.example", "mirror-of": ["docker.io"]}
    project = Project(directory, furnished(registries=[near]), shelf)
    project.stands(furnished(registries=[near]))
    without_registry = furnished(registries=[near])
    del without_registry["registry"]
    _record(
        project,
        {
            "heal-storage": furnished(registries=[near], storage={**STORAGE, "heal": {"storage": 1}}),
            "heal-registry": furnished(registries=[near], registry={**REGISTRY, "heal": {"registry": 1}}),
            "registries": furnished(registries=[near, far]),
            "volume-deleted": without_registry,
        },
        update=update,
    )


def _record(project: Project, cases: dict[str, dict[str, Any]], *, update: bool) -> None:
    for name, wished in cases.items():
        project.write(wished)
        file = StackFile.read(project.directory, STACK)
        engine = Engine.open(project.directory, STACK)
        steps = sorted(f"{step.op} {step.urn}" for step in engine.preview(file.path))
        path = RECORDED / f"{name}.json"
        if update:
            content = {"cluster": wished, "outputs": _still(engine.outputs()), "steps": steps}
            path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        assert steps == json.loads(path.read_text(encoding="utf-8"))["steps"], name


def _still(outputs: dict[str, Any]) -> dict[str, Any]:
    """Leave out what differs from run to run and from one another by nothing but its name."""
    for key, node in outputs.get("nodes", {}).items():
        node.update({"address": f"address of {key}", "server-id": f"server of {key}", "floating-ip": None})
    for name, volume in outputs.get("volumes", {}).items():
        volume["id"] = f"volume {name}"
    kept = ("name", "birth", "kubernetes-version", "nodes", "volumes", "registries")
    return {key: outputs[key] for key in kept if key in outputs}
