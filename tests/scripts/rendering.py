"""Scripts as a machine gets them: exports, the library, the step with its parts."""

import shlex

from components.remote_script import SCRIPTS, read_script, render

STEPS = sorted(path for path in SCRIPTS.glob("*.sh") if path.name != "lib.sh")
PARTS = sorted((SCRIPTS / "parts").glob("*.sh"))
LAST_LINE = "main </dev/null\n"


def with_library(body: str, **variables: str) -> str:
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())
    return exports + read_script("lib") + body


def step(name: str, **variables: str) -> str:
    return render(name, variables)


def step_in(world: str, name: str, **variables: str) -> str:
    """A step in a world of the test's making: its functions stand after those they replace."""
    return render(name, variables).removesuffix(LAST_LINE) + world + LAST_LINE
