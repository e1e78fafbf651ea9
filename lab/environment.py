"""What a program finds in its environment when `lab exec` runs it: the lab's cloud and the project's tools."""

import os

import toolchain

from lab import paths


def of_user() -> dict[str, str]:
    cloud = {"OS_CLIENT_CONFIG_FILE": str(paths.clouds_yaml()), "OS_CLOUD": "lab"}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("OS_")}
    return inherited | toolchain.environment() | cloud
