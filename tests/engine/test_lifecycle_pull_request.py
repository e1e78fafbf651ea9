"""A pull request as GitHub runs it: the workflow's own scripts, on the real engine, up to the comment."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lifecycle.errors import Exit
from lifecycle.pull_request import MARKER
from tests.engine.clusters import cluster
from tests.engine.harness import SECRET
from tests.engine.lifecycle_project import environment
from tests.engine.shelf import Shelf
from tests.engine.workflow import GitHub, Repository, listening, step_with

CLOUDS_WORD = "canary-of-the-clouds-file"
KNOWN = {
    "github.base_ref": "main",
    "secrets.CLOUDS_YAML": f"clouds: {{lab: {{auth: {{password: {CLOUDS_WORD}}}}}}}\n",
    "secrets.PULUMI_CONFIG_PASSPHRASE": "test",
    "secrets.BACKEND_ACCESS_KEY_ID": "",
    "secrets.BACKEND_SECRET_ACCESS_KEY": "",
    "github.event.pull_request.number": "7",
    "github.token": "token-that-may-comment",
}
HEALED = {"workers": {"heal": {"worker-1": 1}}}

pytestmark = pytest.mark.engine


@pytest.fixture
def repository(tmp_path: Path, plugin_home: Path, shelf: Shelf) -> Iterator[Repository]:
    """A repository whose base is a cluster that was built."""
    with environment(plugin_home, tmp_path):
        made = Repository(tmp_path)
        made.stands(cluster(), shelf)
        made.commit_base()
        yield made


@pytest.fixture
def github() -> Iterator[GitHub]:
    with listening() as made:
        yield made


def preview(repository: Repository) -> subprocess.CompletedProcess[str]:
    known = {**KNOWN, "vars.PULUMI_BACKEND_URL": f"file://{repository.directory.parent}"}
    return repository.run(step_with("preview", "pull_request preview"), known)


def test_one_comment_is_made_and_kept_up_to_date(
    repository: Repository, github: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_API_URL", github.address)
    monkeypatch.setenv("GITHUB_REPOSITORY", "someone/cluster")
    before = repository.file.read_text(encoding="utf-8")
    for change, said in ((HEALED, "heal 0 → 1"), ({"workers": {"count": 3}}, "| `worker-2` | added |")):
        repository.propose(cluster(**change))
        done = preview(repository)
        assert done.returncode == Exit.DONE, done.stderr
        assert said in (repository.directory / "comment.md").read_text(encoding="utf-8")
        posted = repository.run(step_with("comment", "pull_request post"), KNOWN)
        assert posted.returncode == Exit.DONE, posted.stderr
    assert list(github.comments) == [1, 2], "a person's comment, and one of ours"
    assert github.comments[2].startswith(MARKER)
    assert "worker-2" in github.comments[2]
    assert "heal 0" not in github.comments[2]
    assert github.tokens == {"Bearer token-that-may-comment"}
    repository.git("checkout", "--quiet", "main")
    assert repository.file.read_text(encoding="utf-8") == before
    clouds = repository.home / ".config" / "openstack" / "clouds.yaml"
    assert clouds.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "shown", [SECRET, CLOUDS_WORD, "abcdef.0123456789abcdef"], ids=["the stack's", "the job's", "a token's shape"]
)
def test_nothing_is_written_when_a_secret_would_show(repository: Repository, shown: str) -> None:
    repository.propose(cluster(workers={"image": shown, "heal": {"worker-1": 1}}))
    done = preview(repository)
    assert done.returncode == Exit.REFUSED, done.stdout + done.stderr
    assert "nothing was written" in done.stderr
    assert shown not in done.stdout + done.stderr
    assert not (repository.directory / "comment.md").exists()


def test_a_stack_file_with_faults_is_said_in_the_comment(repository: Repository) -> None:
    repository.propose(cluster(count=2))
    assert preview(repository).returncode == Exit.DONE
    written = (repository.directory / "comment.md").read_text(encoding="utf-8")
    assert "not previewed" in written
    assert "give 1, 3 or 5" in written
