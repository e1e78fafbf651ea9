"""Scripts as a machine gets them: exports, the library, the step."""

import shlex
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "scripts"
STEPS = sorted(path for path in SCRIPTS.glob("*.sh") if path.name != "lib.sh")


def with_library(body: str, **variables: str) -> str:
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())
    return exports + (SCRIPTS / "lib.sh").read_text() + body


def step(name: str, **variables: str) -> str:
    return with_library((SCRIPTS / f"{name}.sh").read_text(), **variables)
