"""The pull-request workflow by hand: its scripts, in a repository of its own, against a GitHub that listens here."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

from lifecycle import operations
from lifecycle.operations import Options
from tests.engine.harness import ROOT
from tests.engine.lifecycle_project import STACK, init_stack
from tests.engine.shelf import Shelf

WORKFLOW = ROOT / ".github" / "workflows" / "preview.yaml"
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def jobs() -> dict[str, Any]:
    return dict(yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"])


def step_with(job: str, word: str) -> dict[str, Any]:
    """Find the one step of a job whose script has this word."""
    (found,) = (step for step in jobs()[job]["steps"] if word in step.get("run", ""))
    return dict(found)


class Repository:
    """A clone of the project with one stack, `origin/main`, and a branch to change it on."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory / "clone"
        self.home = directory / "home"
        self.home.mkdir()
        _copy_tracked(self.directory)
        (self.directory / ".venv").symlink_to(ROOT / ".venv")
        for file in (self.directory / "stacks").glob("Pulumi.*.yaml"):
            file.unlink()
        self.file = self.directory / "stacks" / f"Pulumi.{STACK}.yaml"

    def stands(self, cluster: Mapping[str, Any], shelf: Shelf) -> None:
        """Hold the stack of a cluster that was built."""
        shelf.take(self.directory.parent, STACK, {"clone of": cluster}, lambda: self._build(cluster))

    def git(self, *words: str) -> None:
        # Nobody's own git settings, hooks or keys belong here.
        identity = ["-c", "user.name=someone", "-c", "user.email=someone@example.org", "-c", "commit.gpgsign=false"]
        command = ["git", *identity, *words]
        environment = {**os.environ, "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(command, cwd=self.directory, env=environment, check=True, capture_output=True)

    def commit_base(self) -> None:
        """Make what is there the base of pull requests."""
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "base")
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")

    def propose(self, cluster: Mapping[str, Any]) -> None:
        """Change the stack file on a branch, as a pull request does."""
        self.git("checkout", "--quiet", "-B", "change", "origin/main")
        self.write(cluster)
        self.git("commit", "--quiet", "--all", "--message", "change")

    def _build(self, cluster: Mapping[str, Any]) -> None:
        init_stack(self.directory)
        self.write(cluster)
        operations.create(Options(stack=STACK, project=self.directory))

    def write(self, cluster: Mapping[str, Any]) -> None:
        content = yaml.safe_load(self.file.read_text(encoding="utf-8"))
        content["config"]["nodewright:cluster"] = dict(cluster)
        self.file.write_text(yaml.safe_dump(content), encoding="utf-8")

    def run(self, step: Mapping[str, Any], known: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Run a step as GitHub does: `bash -e`, and each expression of its environment filled in."""
        given = {name: EXPRESSION.sub(lambda found: known[found[1]], text) for name, text in step["env"].items()}
        environment = {**os.environ, **given, "HOME": str(self.home)}
        command = ["bash", "--noprofile", "--norc", "-e", "-c", step["run"]]
        return subprocess.run(command, cwd=self.directory, env=environment, capture_output=True, text=True, check=False)


class GitHub:
    """What GitHub's API does with comments on one pull request."""

    def __init__(self) -> None:
        self.comments: dict[int, str] = {1: "a person's comment"}
        self.tokens: set[str | None] = set()
        self.address = ""


@contextmanager
def listening() -> Iterator[GitHub]:
    """Answer over HTTP for as long as it is needed."""
    github = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self, content: object, code: int = 200) -> None:
            github.tokens.add(self.headers.get("Authorization"))
            self.send_response(code)
            self.end_headers()
            self.wfile.write(json.dumps(content).encode())

        def _body(self) -> str:
            return str(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"])

        def do_GET(self) -> None:  # noqa: N802 - named by the standard library
            assert self.path.startswith("/repos/someone/cluster/issues/7/comments?")
            first = self.path.endswith("page=1")
            self._answer([{"id": number, "body": body} for number, body in github.comments.items()] if first else [])

        def do_POST(self) -> None:  # noqa: N802
            assert self.path == "/repos/someone/cluster/issues/7/comments"
            number = max(github.comments) + 1
            github.comments[number] = self._body()
            self._answer({"id": number}, 201)

        def do_PATCH(self) -> None:  # noqa: N802
            number = int(self.path.removeprefix("/repos/someone/cluster/issues/comments/"))
            github.comments[number] = self._body()
            self._answer({"id": number})

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    github.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield github
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _copy_tracked(target: Path) -> None:
    """Copy what version control knows, as it stands now."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in (name for name in listed.split("\0") if name and (ROOT / name).is_file()):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name)
