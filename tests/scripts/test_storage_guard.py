"""storage-guard names a way out that is open, with volumes as the API lists them."""

import subprocess

import pytest

from tests.scripts.rendering import step_in
from tests.scripts.sandbox import Sandbox

API = """
use_api() { :; }
kubectl() { if [[ $1 == get ]]; then echo 'shared demo data 192.0.2.5 /volume/shared default work'; fi; }
"""
SERVED = {"EXPORTS": "/volume data", "PERSISTENT_VOLUMES": "shared /volume/shared"}
LESS = {"EXPORTS": "/volume data", "PERSISTENT_VOLUMES": ""}
NOTHING = {"EXPORTS": "", "PERSISTENT_VOLUMES": ""}


def guard(sandbox: Sandbox, storage: dict[str, str], *, allow: bool = False) -> "subprocess.CompletedProcess[str]":
    given = {"CLUSTER": "demo", "SERVER": "192.0.2.5", "ALLOW_DATA_LOSS": str(allow).lower(), **storage}
    return sandbox.run(step_in(API, "storage-guard", **given))


def test_what_is_served_as_before_is_no_loss(sandbox: Sandbox) -> None:
    done = guard(sandbox, SERVED)
    assert (done.stdout, done.returncode) == ("unchanged\n", 0), done.stderr


@pytest.mark.parametrize(
    ("left", "remedy"),
    [(LESS, "set storage.allow-data-loss to true"), (NOTHING, "put back the storage section as it was")],
    ids=["section stays", "section is gone"],
)
def test_refusal_names_what_can_still_be_said(sandbox: Sandbox, left: dict[str, str], remedy: str) -> None:
    done = guard(sandbox, left)
    assert done.returncode == 1
    assert "used by claim default/work, pods: none" in done.stderr
    assert f"Delete their claims first, or {remedy}" in done.stderr
    assert ("allow-data-loss" in done.stderr) == ("allow-data-loss" in remedy)


def test_loss_that_is_allowed_goes_on(sandbox: Sandbox) -> None:
    done = guard(sandbox, LESS, allow=True)
    assert (done.stdout, done.returncode) == ("unchanged\n", 0), done.stderr
    assert "storage.allow-data-loss is set: going on" in done.stderr
