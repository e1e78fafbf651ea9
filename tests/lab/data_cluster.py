"""A real cluster on the lab with storage and registry beside it, changed by real runs of the engine."""

import json
import os
import subprocess
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from cluster.keys import access_key

ROOT = Path(__file__).parents[2]
STACK = "storage"
# A cluster that stays up between two runs of the tests; for who works on them.
KEEP = "NODEWRIGHT_KEEP_DATA_CLUSTER"
SSH = ("-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR")


@dataclass(frozen=True)
class Run:
    """What one run of the engine did."""

    ok: bool
    output: str

    @property
    def steps(self) -> list[str]:
        """Every resource it finished something with, as `created worker-0-join`."""
        words = [line.split() for line in self.output.splitlines() if "(" in line]
        done = ("created", "updated", "replaced", "deleted")
        return [f"{word[3]} {word[2]}" for word in words if len(word) > 3 and word[3] in done]

    def touched(self, *names: str) -> list[str]:
        return [step for step in self.steps if any(name in step.split()[1] for name in names)]


class DataCluster:
    """The stack `storage`, whose config a test changes as a person would."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._written: list[Path] = []
        self._config = directory / "Pulumi.storage.yaml"
        backend = Path(os.environ.get("NODEWRIGHT_CACHE", Path.home() / ".cache/nodewright")) / "backend"
        backend.mkdir(parents=True, exist_ok=True)
        self._environment = {
            **os.environ,
            "PULUMI_BACKEND_URL": f"file://{backend}",
            "PULUMI_CONFIG_PASSPHRASE": "lab",
        }
        self._content = yaml.safe_load((ROOT / "stacks/Pulumi.storage.yaml").read_text())
        self._save()
        self._pulumi("stack", "select", "--create", STACK)

    @property
    def settings(self) -> dict[str, Any]:
        """The object under `nodewright:cluster`; changes count from the next run on."""
        return self._content["config"]["nodewright:cluster"]  # type: ignore[no-any-return]

    def change(self, changes: Mapping[str, Any]) -> None:
        for path, value in changes.items():
            *parents, last = path.split(".")
            place = self.settings
            for key in parents:
                place = place.setdefault(key, {})
            if value is None:
                place.pop(last, None)
            else:
                place[last] = deepcopy(value)

    def set_password(self, key: str, value: str) -> None:
        self._save()
        path = f'nodewright:secrets["{key}"]'
        done = self._pulumi("config", "set", "--secret", "--path", path, config=True, text=value)
        assert done.returncode == 0, done.stderr
        self._content = yaml.safe_load(self._config.read_text())

    def up(self, *options: str) -> Run:
        self._save()
        done = self._pulumi("up", "--yes", "--skip-preview", "--non-interactive", *options, config=True)
        return Run(ok=done.returncode == 0, output=done.stdout + done.stderr)

    def must_up(self, *options: str) -> Run:
        run = self.up(*options)
        assert run.ok, run.output
        return run

    def preview(self) -> Run:
        self._save()
        done = self._pulumi("preview", "--non-interactive", config=True)
        return Run(ok=done.returncode == 0, output=done.stdout + done.stderr)

    def destroy(self) -> Run:
        done = self._pulumi("destroy", "--yes", "--skip-preview", "--non-interactive", config=True)
        return Run(ok=done.returncode == 0, output=done.stdout + done.stderr)

    def server_id(self, node: str) -> str:
        return str(self.outputs()["nodes"][node]["server-id"])

    def outputs(self) -> dict[str, Any]:
        done = self._pulumi("stack", "output", "--json", "--show-secrets")
        return dict(json.loads(done.stdout))

    def kubectl(self, *arguments: str, text: str | None = None, check: bool = True) -> str:
        kubeconfig = self._directory / "kubeconfig"
        if not kubeconfig.exists():
            kubeconfig.touch(0o600)
            kubeconfig.write_text(self.outputs()["kubeconfig"])
        command = ["kubectl", f"--kubeconfig={kubeconfig}", *arguments]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=300)
        assert not check or done.returncode == 0, f"{' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout

    def apply(self, *documents: Mapping[str, Any]) -> None:
        self.kubectl("apply", "-f", "-", text="---\n".join(yaml.safe_dump(dict(document)) for document in documents))

    def wait_for_pods(self, *names: str, timeout_s: int = 120) -> None:
        pods = [f"pod/{name}" for name in names]
        self.kubectl("wait", "--for=condition=Ready", f"--timeout={timeout_s}s", *pods)

    def run_on(self, node: str, command: str, text: str | None = None, *, check: bool = True) -> str:
        nodes = self.outputs()["nodes"]
        bastion = nodes["control-plane-0"]["floating-ip"]
        key = self._directory / "key"
        if not key.exists():
            key.touch(0o600)
            key.write_text(access_key(self._secret()).private)
        login = ["ssh", "-i", str(key), *SSH]
        way = [] if node == "control-plane-0" else ["-o", f"ProxyCommand={' '.join(login)} -W %h:%p debian@{bastion}"]
        address = bastion if node == "control-plane-0" else nodes[node]["address"]
        full = [*login, *way, f"debian@{address}", command]
        done = subprocess.run(full, input=text, capture_output=True, text=True, check=False, timeout=300)
        assert not check or done.returncode == 0, f"{command} on {node}: {done.stdout}{done.stderr}"
        return done.stdout

    def again(self, step: str) -> str:
        """Run a step that was done once more, with what it was given; say its one word."""
        state = json.loads(self._pulumi("stack", "export", "--show-secrets").stdout)
        found = [item for item in state["deployment"]["resources"] if item["urn"].endswith(f"::{step}")]
        inputs = {
            name: json.loads(value["plaintext"]) if isinstance(value, dict) and "plaintext" in value else value
            for name, value in found[0]["inputs"].items()
        }
        hosts = {node["address"]: key for key, node in self.outputs()["nodes"].items()}
        hosts |= {node["floating-ip"]: key for key, node in self.outputs()["nodes"].items() if node["floating-ip"]}
        return self.run_on(hosts[inputs["connection"]["host"]], inputs["create"], inputs["stdin"]).strip()

    def write_manifest(self, text: str) -> str:
        """Write a manifest where a stack may name it; it goes with the cluster."""
        return self._write(f"manifests/storage/{self._directory.name}.yaml", text)

    def write_certificate(self, text: str) -> str:
        return self._write(f"tests/lab/{self._directory.name}.pem", text)

    def _write(self, place: str, text: str) -> str:
        path = ROOT / place
        path.write_text(text)
        self._written.append(path)
        return place

    def clean(self) -> None:
        for path in self._written:
            path.unlink(missing_ok=True)

    def _secret(self) -> str:
        return self._pulumi("config", "get", "nodewright:secret", config=True).stdout.strip()

    def _save(self) -> None:
        self._config.write_text(yaml.safe_dump(self._content))

    def _pulumi(
        self, *command: str, config: bool = False, text: str | None = None
    ) -> "subprocess.CompletedProcess[str]":
        where = ["--config-file", str(self._config)] if config else []
        stack = [] if command[:2] == ("stack", "select") else ["--stack", STACK]
        return subprocess.run(
            ["pulumi", *command, *stack, *where],
            cwd=ROOT,
            env=self._environment,
            input=text,
            capture_output=True,
            text=True,
            check=False,
            timeout=1500,
        )
