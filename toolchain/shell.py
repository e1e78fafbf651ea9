"""The variables under which the pinned engine, plugins and tools are the ones that run."""

from __future__ import annotations

import os
from pathlib import Path

from toolchain.errors import ToolchainError
from toolchain.plugins import pulumi_home
from toolchain.supply import Supply

PROJECT = Path(__file__).parent.parent


def variables(supply: Supply) -> dict[str, str]:
    """The variables that differ from the caller's. Only items that are already there count; the engine must be."""
    # The Python language host runs the first `python` on PATH.
    first = [PROJECT / ".venv" / "bin"]
    for item in supply.catalog.items.values():
        directory = supply.present(item) if item.on_path else None
        if directory:
            first.append(directory / "bin")
        elif item.name == "pulumi":
            text = "setting up the environment: the engine is not here yet; run `python3 -m toolchain ensure engine`"
            raise ToolchainError(text)
    rest = [part for part in os.environ.get("PATH", "").split(os.pathsep) if part and Path(part) not in first]
    return {
        "PATH": os.pathsep.join([*map(str, first), *rest]),
        "PULUMI_HOME": str(pulumi_home(supply.root)),
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        # Plugins are there at their pinned versions; one that is not is a fault and no reason for a download.
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        # A plugin that happens to be on PATH is not the pinned one.
        "PULUMI_IGNORE_AMBIENT_PLUGINS": "true",
    }
