"""Calls that make no sense, or may not in: the sentence and the exit code, and that nothing was changed."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lifecycle.errors import Exit
from tests.engine.clusters import cluster
from tests.engine.harness import ROOT
from tests.engine.lifecycle_project import STACK, Project, environment, pulumi
from tests.engine.shelf import Shelf
from toolchain import ensure
from toolchain import environment as toolchain_environment

WRONG_PASSWORD = "canary-of-a-wrong-password"

pytestmark = pytest.mark.engine

# What is asked of a cluster that is there, the exit code, and what the sentence must tell.
SENSELESS = [
    (("heal", "worker-77"), Exit.USAGE, "healing worker-77: there is no machine worker-77; did you mean worker-"),
    (("scale", "worker", "--remove", "worker-9"), Exit.USAGE, "there is no machine worker-9"),
    (("scale", "workre", "3"), Exit.USAGE, "there is no pool workre; did you mean worker?"),
    (("roll", "batch"), Exit.USAGE, "there is no pool batch; there are: control-plane, load-balancer, worker"),
    (("scale", "worker", "-1"), Exit.USAGE, ""),
    (("scale", "control-plane", "2"), Exit.USAGE, "give 1, 3 or 5"),
    (("scale", "load-balancer", "2"), Exit.USAGE, "there is always one"),
    (("upgrade", "1.33.0"), Exit.REFUSED, "Kubernetes cannot go back"),
    (("upgrade", "latest"), Exit.USAGE, "kubernetes.version"),
    (("heal", "worker-0", "--stack", "nowhere"), Exit.NO_STACK, "there is no Pulumi.nowhere.yaml; stacks with a file"),
]


def nodewright(project: Project, *words: str) -> subprocess.CompletedProcess[str]:
    """Call the command as a program does; `PROJECT` is where its code lies, so a line sets it."""
    program = (
        "import sys; from pathlib import Path; from lifecycle import cli;"
        f"cli.PROJECT = Path({str(project.directory)!r});"
        "from lifecycle import operations;"
        "Options = operations.Options; cli.Options = lambda **o: Options(project=cli.PROJECT, **o);"
        "sys.exit(cli.main(sys.argv[1:]))"
    )
    stack = () if "--stack" in words else ("--stack", STACK)
    command = [sys.executable, "-c", program, *words, *stack, "--yes", "--json"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def everything(project: Project) -> tuple[str, str]:
    """The stack's file and its state: what an operation may change."""
    return project.file.read_text(encoding="utf-8"), pulumi("stack", "export", "--stack", STACK, cwd=project.directory)


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    last = json.loads(done.stdout.splitlines()[-1])
    assert (last["event"], last["code"], last["result"]) == ("error", done.returncode, None), last
    return str(last["text"])


def test_calls_that_make_no_sense_change_nothing(tmp_path: Path, plugin_home: Path, shelf: Shelf) -> None:
    with environment(plugin_home, tmp_path):
        project = Project(tmp_path, cluster(), shelf)
        project.stands(cluster())
        before = everything(project)
        for words, code, told in SENSELESS:
            done = nodewright(project, *words)
            assert done.returncode == code, f"{words}: {done.stdout}{done.stderr}"
            assert told in (done.stderr if not done.stdout else error_of(done)), words
            assert everything(project) == before, words


@pytest.fixture
def project(tmp_path: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """A stack with the real plugins, and no cloud anywhere."""
    ensure(["engine"])
    for name, value in toolchain_environment().items():
        monkeypatch.setenv(name, value)
    home = Path(toolchain_environment()["PULUMI_HOME"])
    with environment(home, tmp_path):
        yield Project(tmp_path, cluster(), shelf)


def clouds(project: Project, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """Name a cloud that is reached at this address."""
    login = {"auth_url": address, "username": "me", "password": WRONG_PASSWORD, "project_name": "mine"}
    login.update(user_domain_name="Default", project_domain_name="Default")
    file = project.directory / "clouds.yaml"
    file.write_text(json.dumps({"clouds": {"ours": {"auth": login, "region_name": "RegionOne"}}}), encoding="utf-8")
    monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(file))
    pulumi("config", "set", "openstack:cloud", "ours", "--stack", STACK, cwd=project.directory)


def refused(project: Project, told: str) -> None:
    for words in (("create",), ("scale", "worker", "4")):
        before = everything(project)
        done = nodewright(project, *words)
        assert done.returncode == Exit.NO_ACCESS, f"{words}: {done.stdout}{done.stderr}"
        assert told in error_of(done), error_of(done)
        assert WRONG_PASSWORD not in done.stdout + done.stderr
        assert everything(project) == before, words


def test_an_unreachable_cloud_is_a_matter_of_access(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    clouds(project, monkeypatch, "http://127.0.0.1:9/v3")
    refused(project, "127.0.0.1:9")


def test_a_cloud_that_clouds_yaml_does_not_name_is_a_matter_of_access(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    clouds(project, monkeypatch, "http://127.0.0.1:9/v3")
    pulumi("config", "set", "openstack:cloud", "theirs", "--stack", STACK, cwd=project.directory)
    refused(project, "theirs")


def test_credentials_that_the_cloud_does_not_know_are_a_matter_of_access(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _keystone_that_knows_nobody() as address:
        clouds(project, monkeypatch, f"{address}/v3")
        refused(project, "401")


def test_without_a_passphrase_nothing_is_opened(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    before = everything(project)
    monkeypatch.delenv("PULUMI_CONFIG_PASSPHRASE")
    done = nodewright(project, "create")
    assert done.returncode == Exit.NO_ACCESS, done.stdout + done.stderr
    assert "passphrase" in error_of(done)
    monkeypatch.setenv("PULUMI_CONFIG_PASSPHRASE", "test")
    assert everything(project) == before


def test_a_backend_that_is_not_there_is_a_matter_of_access(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    before = everything(project)
    there = f"file://{project.directory}"
    monkeypatch.setenv("PULUMI_BACKEND_URL", f"{there}/nowhere")
    done = nodewright(project, "create")
    assert done.returncode == Exit.NO_ACCESS, done.stdout + done.stderr
    assert "nowhere" in error_of(done)
    monkeypatch.setenv("PULUMI_BACKEND_URL", there)
    assert everything(project) == before


class _keystone_that_knows_nobody:  # noqa: N801 - reads as what it is
    """A Keystone as far as a login goes: it says its version, and then no."""

    def __enter__(self) -> str:
        class Handler(BaseHTTPRequestHandler):
            def _say(self, code: int, content: object) -> None:
                body = json.dumps(content).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self) -> None:  # noqa: N802 - named by the standard library
                link = {"rel": "self", "href": f"http://{self.headers['Host']}/v3/"}
                self._say(200, {"version": {"id": "v3.14", "status": "stable", "links": [link]}})

            def do_POST(self) -> None:  # noqa: N802
                self.rfile.read(int(self.headers["Content-Length"]))
                self._say(
                    401, {"error": {"code": 401, "message": "The request you have made requires authentication."}}
                )

            def log_message(self, format: str, *args: object) -> None:
                """Stay silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        return f"http://127.0.0.1:{self._server.server_port}"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
