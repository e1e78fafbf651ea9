"""The comment on a pull request: about the right stacks, and never with a secret in it."""

from pathlib import Path

import pytest

from lifecycle import pull_request
from lifecycle.errors import Exit, LifecycleError
from lifecycle.leaks import find_leaks, secrets_of_environment

PROJECT = Path("/project")
STACKS = PROJECT / "stacks"
CANARY = "canary-4f1c0d/9e+7b"


def touched(*files: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return pull_request.touched(files, ("ha", "lab"), STACKS, PROJECT)


def test_a_stack_file_touches_its_stack() -> None:
    assert touched("stacks/Pulumi.lab.yaml", "README.md") == (("lab",), ())


@pytest.mark.parametrize("file", ["cluster/build.py", "scripts/node-join.sh", "__main__.py", "requirements.txt"])
def test_the_program_touches_every_stack(file: str) -> None:
    assert touched(file) == (("ha", "lab"), ())


@pytest.mark.parametrize("file", ["docs/config.md", "lifecycle/cli.py", "tests/unit/x.py", "cluster.md"])
def test_other_files_touch_none(file: str) -> None:
    assert touched(file) == ((), ())


def test_a_stack_whose_file_is_gone_is_named() -> None:
    assert touched("stacks/Pulumi.old.yaml") == ((), ("old",))


def test_a_comment_begins_with_its_marker() -> None:
    assert pull_request.comment(["### a\n"]).startswith(pull_request.MARKER)
    assert pull_request.NOTHING in pull_request.comment([])


def test_only_a_written_comment_is_posted() -> None:
    with pytest.raises(LifecycleError, match="not written by `preview`"):
        pull_request.post("a/b", 1, "hello")


def test_without_a_token_nothing_is_posted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    with pytest.raises(LifecycleError, match="GITHUB_TOKEN") as raised:
        pull_request.post("a/b", 1, pull_request.comment([]))
    assert raised.value.code is Exit.NO_ACCESS


@pytest.mark.parametrize(
    "text",
    [f"why {CANARY}!", "?a=canary-4f1c0d%2F9e%2B7b", "Y2FuYXJ5LTRmMWMwZC85ZSs3Yg=="],
    ids=["plain", "quoted", "base64"],
)
def test_a_secret_is_found_however_it_is_written(text: str) -> None:
    assert find_leaks(text, {CANARY}) == ("a secret of the stack or of this process",)


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "kubeadm join --token abcdef.0123456789abcdef",
        "Bearer eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlcm5l.x",
        "client-key-data: abc",
        "http://me:password@proxy.example:3128",
    ],
)
def test_what_looks_like_a_secret_is_found(text: str) -> None:
    assert find_leaks(text, ())


def test_a_harmless_text_passes() -> None:
    assert find_leaks("worker-1 replaced, image node-1.34.3, https://10.20.0.9:6443", {"short", CANARY}) == ()


def test_secrets_of_the_environment_are_known_by_their_names() -> None:
    given = {"CLOUDS_SECRET": f"a: {CANARY}\n", "HOME": "/home/someone", "X_TOKEN": "short"}
    assert CANARY in secrets_of_environment(given)
    assert "/home/someone" not in secrets_of_environment(given)


@pytest.mark.parametrize(
    "file", ["password: '{}'\n", 'password: "{}"', '{{"password":"{}"}}', "auth: {{password: {}}}"]
)
def test_secrets_of_a_file_are_known_however_it_is_quoted(file: str) -> None:
    assert find_leaks(f"image {CANARY}", secrets_of_environment({"CLOUDS_SECRET": file.format(CANARY)}))


def test_a_comment_that_would_show_a_secret_is_not_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pull_request, "_changed_files", lambda project, base: ["stacks/Pulumi.lab.yaml"])
    monkeypatch.setattr(pull_request, "stack_names", lambda project: ("lab",))
    monkeypatch.setattr(pull_request, "stack_directory", lambda project: project / "stacks")
    monkeypatch.setattr(pull_request, "_section", lambda project, stack: (f"### {CANARY}\n", {CANARY}))
    with pytest.raises(LifecycleError, match="nothing was written") as raised:
        pull_request.preview(tmp_path, "main")
    assert raised.value.code is Exit.REFUSED
    assert CANARY not in str(raised.value)
