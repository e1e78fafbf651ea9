"""`init`: a stack file of one's own, with comments, and its secret."""

import secrets
from pathlib import Path

from lifecycle.engine import Engine
from lifecycle.errors import Exit, LifecycleError
from lifecycle.stack_file import stack_directory, stack_path

EXAMPLE = "small.example.yaml"
SECRET_BYTES = 32


def init(project: Path, stack: str, *, name: str | None = None, cloud: str | None = None) -> Path:
    """Write a stack file after the commented example, and make the stack with a new secret."""
    path = stack_path(project, stack)
    if path.exists():
        raise LifecycleError(
            Exit.REFUSED, f"making stack {stack}: {path.name} is there; edit it, or choose another name"
        )
    example = (stack_directory(project) / EXAMPLE).read_text(encoding="utf-8")
    path.write_text(fill_in(example, name=name or stack, cloud=cloud), encoding="utf-8")
    try:
        engine = Engine.open(project, stack, create=True)
        engine.set_secret("nodewright:secret", secrets.token_hex(SECRET_BYTES))
    except LifecycleError:
        path.unlink()
        raise
    return path


def fill_in(example: str, *, name: str, cloud: str | None) -> str:
    """Take the example's head off, which says how to copy it, and fill in what is known."""
    lines = example.splitlines(keepends=True)
    body = "".join(lines[next(i for i, line in enumerate(lines) if line.startswith("config:")) :])
    head = "# Every setting, its default and what it means: docs/config.md. Build it with: nodewright create\n"
    body = body.replace("    name: demo\n", f"    name: {name}\n", 1)
    if cloud:
        body = body.replace("openstack:cloud: mycloud", f"openstack:cloud: {cloud}", 1)
    return head + body
