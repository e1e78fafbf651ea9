"""What a program finds in its environment when `lab exec` runs it: the lab's cloud and the project's tools."""

import os
from collections.abc import Callable

import toolchain
from lab import paths


def of_user(say: Callable[[str], None]) -> dict[str, str]:
    cloud = {"OS_CLIENT_CONFIG_FILE": str(paths.clouds_yaml()), "OS_CLOUD": "lab"}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("OS_")}
    return inherited | tools(say) | cloud


def tools(say: Callable[[str], None]) -> dict[str, str]:
    """The cloud can be used without the engine; its absence is worth a word all the same."""
    try:
        return toolchain.environment()
    except toolchain.ToolchainError as error:
        say(f"going on without the project's tools: {error}")
        return {}
