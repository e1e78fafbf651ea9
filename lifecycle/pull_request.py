"""One comment on a pull request: the change ticket of every stack that the change touches.

    python -m lifecycle.pull_request preview --base origin/main --output comment.md
    python -m lifecycle.pull_request post --number 7 --file comment.md

`preview` needs the clouds and the stacks' secrets, read only; `post` needs nothing but the right to comment. They are
two calls so that two jobs can have one right each.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

from lifecycle import operations, ticket
from lifecycle.engine import Engine
from lifecycle.errors import Exit, LifecycleError
from lifecycle.leaks import find_leaks, secrets_of_environment
from lifecycle.operations import PROJECT, Options
from lifecycle.stack_file import stack_directory, stack_names

MARKER = "<!-- nodewright: change tickets -->"
PROGRAM = ("cluster/", "components/", "scripts/", "manifests/", "__main__.py", "Pulumi.yaml", "requirements.txt")
API = "https://api.github.com"
TIMEOUT_S = 30
NOTHING = "No stack is touched by this change."


def main(words: Sequence[str]) -> int:
    """Run one of the two calls."""
    arguments = _parser().parse_args(words)
    try:
        if arguments.call == "preview":
            arguments.output.write_text(preview(PROJECT, arguments.base), encoding="utf-8")
        else:
            post(arguments.repository, arguments.number, arguments.file.read_text(encoding="utf-8"))
    except LifecycleError as error:
        sys.stderr.write(f"{error}\n")
        return int(error.code)
    return int(Exit.DONE)


def preview(project: Path, base: str) -> str:
    """Write the comment; raise `LifecycleError` when it would show a secret."""
    stacks, removed = touched(_changed_files(project, base), stack_names(project), stack_directory(project), project)
    secrets = secrets_of_environment()
    sections = []
    for stack in stacks:
        section, known = _section(project, stack)
        sections.append(section)
        secrets |= known
    sections += (
        f"### Stack `{stack}`: its file is gone\n\nIts cluster stays until it is destroyed.\n" for stack in removed
    )
    text = comment(sections)
    leaks = find_leaks(text, secrets)
    if leaks:
        told = f"writing the comment: it would show {', '.join(leaks)}; nothing was written"
        raise LifecycleError(Exit.REFUSED, told)
    return text


def touched(
    files: Iterable[str], stacks: Sequence[str], directory: Path, project: Path
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tell which stacks a change of these files touches, and which it removes: the program's own files touch all."""
    files = tuple(files)
    prefix = f"{directory.relative_to(project)}/Pulumi."
    named = {
        file.removeprefix(prefix).removesuffix(".yaml")
        for file in files
        if file.startswith(prefix) and file.endswith(".yaml")
    }
    every = any(file == part or (part.endswith("/") and file.startswith(part)) for file in files for part in PROGRAM)
    return tuple(stack for stack in stacks if every or stack in named), tuple(sorted(named - set(stacks)))


def comment(sections: Sequence[str]) -> str:
    """Put the sections together under the marker by which the comment is found again."""
    body = "\n".join(sections) if sections else f"{NOTHING}\n"
    return f"{MARKER}\n## What this change does\n\n{body}"


def post(repository: str, number: int, text: str) -> None:
    """Write the comment, or bring the one that is there up to date."""
    if not text.startswith(MARKER):
        raise LifecycleError(Exit.USAGE, "posting the comment: the file was not written by `preview`")
    address = f"{os.environ.get('GITHUB_API_URL', API)}/repos/{repository}/issues"
    present = _own_comment(f"{address}/{number}/comments?per_page=100")
    if present is None:
        _call("POST", f"{address}/{number}/comments", {"body": text})
    else:
        _call("PATCH", f"{address}/comments/{present}", {"body": text})


def _section(project: Path, stack: str) -> tuple[str, set[str]]:
    """Preview one stack; one that cannot be previewed says so in its place, and hides none of the others."""
    try:
        secrets = Engine.open(project, stack).secret_values()
        return ticket.markdown(operations.plan(Options(stack=stack, project=project))), secrets
    except LifecycleError as error:
        told = "\n".join(f"    {line}" for line in str(error).splitlines())
        return f"### Stack `{stack}`: not previewed\n\n{told}\n", set()


def _changed_files(project: Path, base: str) -> list[str]:
    command = ["git", "diff", "--name-only", "-z", f"{base}...HEAD"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        text = f"comparing with {base}: {done.stderr.strip()}; fetch it first"
        raise LifecycleError(Exit.USAGE, text)
    return [name for name in done.stdout.split("\0") if name]


def _own_comment(address: str) -> int | None:
    for page in range(1, 11):
        comments = _call("GET", f"{address}&page={page}", None)
        for found in comments:
            if str(found["body"]).startswith(MARKER):
                return int(found["id"])
        if not comments:
            break
    return None


def _call(method: str, address: str, content: dict[str, str] | None) -> list[dict[str, str]]:
    token = os.environ.get("GITHUB_TOKEN")
    if not token:
        raise LifecycleError(Exit.NO_ACCESS, "posting the comment: GITHUB_TOKEN is not set")
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
    body = None if content is None else json.dumps(content).encode()
    request = Request(address, data=body, headers=headers, method=method)  # noqa: S310 - https, a constant
    try:
        with urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310
            read = json.load(answer)
    except (URLError, OSError, ValueError) as error:
        raise LifecycleError(Exit.NO_ACCESS, f"posting the comment: {error}") from error
    return read if isinstance(read, list) else [read]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lifecycle.pull_request", description="Tickets for a pull request.")
    calls = parser.add_subparsers(dest="call", required=True)
    previews = calls.add_parser("preview", help="write the comment into a file")
    previews.add_argument("--base", required=True, metavar="REF", help="what the change is compared with")
    previews.add_argument("--output", required=True, type=Path, metavar="FILE")
    posts = calls.add_parser("post", help="put the comment on a pull request at GitHub")
    posts.add_argument("--repository", default=os.environ.get("GITHUB_REPOSITORY", ""), metavar="OWNER/NAME")
    posts.add_argument("--number", required=True, type=int, metavar="N")
    posts.add_argument("--file", required=True, type=Path, metavar="FILE")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
