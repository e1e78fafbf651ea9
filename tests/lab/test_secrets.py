"""Secrets that are easy to find are put everywhere a secret may be; they are found only where they are needed."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from cluster.keys import access_key, host_key
from tests.lab.certificates import make_certificates
from tests.lab.conftest import Lab
from tests.lab.lab_stack import ROOT, LabStack, Run
from tests.lab.process_watch import ProcessWatch

pytestmark = [pytest.mark.lab, pytest.mark.long]

NAME = "canary"
HOST = f"registry.{NAME}.internal"
OWN = "canary-of-the-own-registry-71f0"
FOREIGN = "canary-of-a-foreign-registry-9c2e"
NODES = {"control-plane-0", "worker-0"}
BESIDE = {"storage", "registry"}


class CanaryStack(LabStack):
    """A cluster with all that takes secrets, and every word the engine said about it."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, "storage", name=NAME, cidr="10.65.0.0/24")
        self.said: list[str] = []
        self.event_log = directory / "events"
        self.certificates = make_certificates(HOST)
        self._file = ROOT / "manifests" / f"{directory.name}.pem"
        self._file.write_text(self.certificates.certificate)
        self._ca_file = self._file.with_suffix(".ca")
        self._ca_file.write_text(self.certificates.ca)
        self.change(
            {
                "storage.exports": [{"directory": "/volume/nfs", "to": "10.65.0.0/24"}],
                "storage.persistent-volumes": [],
                "registry.host": HOST,
                "registry.tls": "own",
                "registry.certificate": str(self._file.relative_to(ROOT)),
                "registry.ca": str(self._ca_file.relative_to(ROOT)),
                "registries": [
                    {
                        "server": "foreign.example:5000",
                        "username": "bob",
                        "hosts": "10.65.0.250 foreign.example",
                        "pull-secrets": [{"namespace": "default"}],
                    }
                ],
            }
        )
        self.set_password("registry", OWN)
        self.set_password("registry/foreign.example:5000", FOREIGN)
        self.set_password("registry-key", self.certificates.key)

    def clean(self) -> None:
        self._file.unlink()
        self._ca_file.unlink()

    def canaries(self) -> dict[str, bytes]:
        """Each secret by its place. Of a key it is a piece from the middle: its frame is no secret."""
        secret = self._secret()
        keys = {
            "the key for SSH": access_key(secret).private,
            "the host key of worker-0": host_key(secret, "worker-0").private,
            "the registry's key": self.certificates.key,
        }
        kubeconfig = str(self.outputs()["kubeconfig"])
        return {
            "the stack's secret": secret.encode(),
            "the registry's password": OWN.encode(),
            "a foreign registry's password": FOREIGN.encode(),
            **{what: key.splitlines()[2].encode() for what, key in keys.items()},
            "the administrator's key": kubeconfig.partition("client-key-data: ")[2].split()[0][200:300].encode(),
        }

    def _run(self, *command: str) -> Run:
        run = super()._run(*command)
        self.said.append(run.output)
        return run


@pytest.fixture(scope="module")
def stack(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CanaryStack]:
    made = CanaryStack(tmp_path_factory.mktemp(NAME))
    try:
        with made.built("--debug", "--event-log", str(made.event_log)):
            yield made
    finally:
        made.clean()


def found_in(text: str, canaries: Mapping[str, bytes]) -> set[str]:
    shown = text.encode()
    return {what for what, secret in canaries.items() if any(form in shown for form in forms(secret))}


def forms(secret: bytes) -> Iterator[bytes]:
    """A secret as it is, and as base64 shows it when it stands at any place of a longer text."""
    yield secret
    for offset in range(3):
        encoded = base64.b64encode(bytes(offset) + secret)
        yield encoded[(offset * 8 + 5) // 6 : (offset + len(secret)) * 8 // 6]


def test_what_the_engine_says_and_keeps_shows_no_secret(stack: CanaryStack) -> None:
    canaries = stack.canaries()
    stack.preview()
    kept = json.dumps(stack.exported(show_secrets=False))
    exports = stack._pulumi("stack", "output", "--json").stdout
    backend = Path(stack._environment["PULUMI_BACKEND_URL"].removeprefix("file://"))
    files = "".join(
        path.read_text(encoding="utf-8", errors="replace")
        for path in backend.rglob(f"*{NAME}*")
        if path.is_file() and path.suffix == ".json"
    )
    assert len(stack.said) >= 2
    assert "worker-0" in files
    assert "worker-0" in stack.event_log.read_text()
    for text in (*stack.said, stack.event_log.read_text(), kept, exports, files):
        assert found_in(text, canaries) == set()


def test_no_process_is_told_a_secret_on_its_command_line(stack: CanaryStack) -> None:
    with ProcessWatch(stack.canaries()) as watch:
        stack.change({"workers.worker.heal.worker-0": 1})
        stack.must_up()
    assert watch.looks > 50
    assert watch.found == set()


def test_a_step_that_fails_shows_no_secret(stack: CanaryStack, lab: Lab) -> None:
    server = stack.server_id("worker-0")
    stack.set_password("registry/foreign.example:5000", f"{FOREIGN}-changed")
    lab("fault", "fill", server)
    try:
        failed = stack.up()
    finally:
        lab("fault", "free", server)
    assert not failed.ok
    assert "worker-0" in failed.output
    assert found_in(failed.output, stack.canaries()) == set()
    stack.set_password("registry/foreign.example:5000", FOREIGN)
    stack.must_up()


WHERE_NEEDED = {
    "the stack's secret": set(),
    "the key for SSH": set(),
    "the host key of worker-0": {"worker-0"},
    "the registry's password": NODES,
    "a foreign registry's password": NODES,
    "the registry's key": {"registry"},
    "the administrator's key": {"control-plane-0"},
}


def test_machines_hold_only_what_they_need(stack: CanaryStack) -> None:
    held: dict[str, set[str]] = {what: set() for what in WHERE_NEEDED}
    for node in sorted(NODES | BESIDE):
        for what, secret in stack.canaries().items():
            if holds(stack, node, secret):
                held[what].add(node)
    for what, nodes in WHERE_NEEDED.items():
        assert held[what] <= nodes, f"{what} is on {sorted(held[what] - nodes)}"
    # The search finds what is there: else it would prove nothing.
    assert held["the host key of worker-0"] == {"worker-0"}
    assert held["the registry's key"] == {"registry"}


def holds(stack: CanaryStack, node: str, secret: bytes) -> bool:
    """Search every file of a machine, logs included; the words come on stdin: the search must not find itself."""
    words = "".join(f"{form.decode()}\n" for form in forms(secret))
    search = (
        "sudo sh -c 'umask 077; cat >/run/words; "
        "grep --recursive --quiet --text --fixed-strings --file=/run/words --exclude-dir=proc --exclude-dir=sys "
        "--exclude=words --devices=skip / 2>/dev/null; echo $?; rm /run/words'"
    )
    return stack.run_on(node, search, words).split()[-1] == "0"
