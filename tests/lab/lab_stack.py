"""A stack on the lab, its config changed as a person would and carried out by real runs of the engine."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import yaml

from cluster.keys import access_key

ROOT = Path(__file__).parents[2]
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


class LabStack:
    """A stack of `stacks/`, with a config file of its own; under another name and network when told."""

    def __init__(self, directory: Path, source: str, *, name: str | None = None, cidr: str | None = None) -> None:
        self.name = name or source
        self._directory = directory
        self._config = directory / f"Pulumi.{self.name}.yaml"
        backend = Path(os.environ.get("NODEWRIGHT_CACHE", Path.home() / ".cache/nodewright")) / "backend"
        backend.mkdir(parents=True, exist_ok=True)
        self._environment = {
            **os.environ,
            "PULUMI_BACKEND_URL": f"file://{backend}",
            "PULUMI_CONFIG_PASSPHRASE": "lab",
            "PULUMI_DEBUG_COMMANDS": "true",  # without it the engine has no option `--event-log`
        }
        self._content = yaml.safe_load((ROOT / f"stacks/Pulumi.{source}.yaml").read_text())
        self.settings["name"] = self.name
        if cidr:
            self.settings["network"]["cidr"] = cidr
        self._save()
        # A new stack gets a salt in its project's own file: not beside the files of real stacks.
        (directory / "Pulumi.yaml").write_text("{name: nodewright, runtime: python}\n")
        self._pulumi("stack", "select", "--create", self.name, "--cwd", str(directory))

    @property
    def settings(self) -> dict[str, Any]:
        """The object under `nodewright:cluster`; changes count from the next run on."""
        return self._content["config"]["nodewright:cluster"]  # type: ignore[no-any-return]

    def change(self, changes: Mapping[str, Any]) -> None:
        """Set values by their dotted path; None takes one away."""
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
        return self._run("up", "--yes", "--skip-preview", "--non-interactive", *options)

    def up_and_meanwhile(self, acts: Mapping[str, Callable[[], object]]) -> Run:
        """Change the stack; when the engine first says a line with one of the signs, do something to the world."""
        self._save()
        command = self._command("up", "--yes", "--skip-preview", "--non-interactive", config=True)
        said, left = [], dict(acts)
        with subprocess.Popen(
            command, cwd=ROOT, env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            assert process.stdout
            for line in process.stdout:
                said.append(line)
                for sign in [sign for sign in left if sign in line]:
                    left.pop(sign)()
        assert not left, f"the engine never said {list(left)}\n{''.join(said)}"
        return Run(ok=process.returncode == 0, output="".join(said))

    @contextmanager
    def built(self, *options: str) -> Iterator[Self]:
        """Stand for as long as the block lasts, and be gone afterwards, whatever happened in it."""
        try:
            self.must_up(*options)
            yield self
        finally:
            gone = self.destroy()
            assert gone.ok, gone.output

    def must_up(self, *options: str) -> Run:
        run = self.up(*options)
        assert run.ok, run.output
        return run

    def must_change_nothing(self) -> None:
        self.must_up("--expect-no-changes")

    def preview(self) -> Run:
        self._save()
        return self._run("preview", "--non-interactive")

    def destroy(self) -> Run:
        return self._run("destroy", "--yes", "--skip-preview", "--non-interactive")

    def outputs(self) -> dict[str, Any]:
        done = self._pulumi("stack", "output", "--json", "--show-secrets")
        return dict(json.loads(done.stdout))

    def server_id(self, node: str) -> str:
        return str(self.outputs()["nodes"][node]["server-id"])

    def kubeconfig(self) -> Path:
        path = self._directory / "kubeconfig"
        if not path.exists():
            path.touch(0o600)
            path.write_text(self.outputs()["kubeconfig"])
        return path

    def kubectl(self, *arguments: str, text: str | None = None, check: bool = True) -> str:
        command = ["kubectl", f"--kubeconfig={self.kubeconfig()}", *arguments]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=300)
        assert not check or done.returncode == 0, f"{' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout

    def apply(self, *documents: Mapping[str, Any]) -> None:
        self.kubectl("apply", "-f", "-", text="---\n".join(yaml.safe_dump(dict(document)) for document in documents))

    def wait_for_pods(self, *names: str, timeout_s: int = 120) -> None:
        pods = [f"pod/{name}" for name in names]
        self.kubectl("wait", "--for=condition=Ready", f"--timeout={timeout_s}s", *pods)

    def run_on(self, node: str, command: str, text: str | None = None, *, check: bool = True) -> str:
        """Run a command on a machine, by way of the bastion."""
        nodes = self.outputs()["nodes"]
        key = self._directory / "key"
        if not key.exists():
            key.touch(0o600)
            key.write_text(access_key(self._secret()).private)
        login = ["ssh", "-i", str(key), *SSH]
        address, way = nodes[node]["floating-ip"], []
        if not address:
            bastion = next(known["floating-ip"] for known in nodes.values() if known["floating-ip"])
            address = nodes[node]["address"]
            way = ["-o", f"ProxyCommand={' '.join(login)} -W %h:%p debian@{bastion}"]
        full = [*login, *way, f"debian@{address}", command]
        done = subprocess.run(full, input=text, capture_output=True, text=True, check=False, timeout=300)
        assert not check or done.returncode == 0, f"{command} on {node}: {done.stdout}{done.stderr}"
        return done.stdout

    def again(self, step: str) -> str:
        """Run a step that was done once more, with what it was given; say its one word."""
        found = [item for item in self.exported()["resources"] if item["urn"].endswith(f"Command::{step}")]
        inputs = {
            name: json.loads(value["plaintext"]) if isinstance(value, dict) and "plaintext" in value else value
            for name, value in found[0]["inputs"].items()
        }
        hosts = {node["address"]: key for key, node in self.outputs()["nodes"].items()}
        hosts |= {node["floating-ip"]: key for key, node in self.outputs()["nodes"].items() if node["floating-ip"]}
        return self.run_on(hosts[inputs["connection"]["host"]], inputs["create"], inputs["stdin"]).strip()

    def exported(self, *, show_secrets: bool = True) -> dict[str, Any]:
        """What the engine keeps of the stack."""
        options = ("--show-secrets",) if show_secrets else ()
        return dict(json.loads(self._pulumi("stack", "export", *options).stdout)["deployment"])

    def _secret(self) -> str:
        return self._pulumi("config", "get", "nodewright:secret", config=True).stdout.strip()

    def _save(self) -> None:
        self._config.write_text(yaml.safe_dump(self._content))

    def _run(self, *command: str) -> Run:
        done = self._pulumi(*command, config=True)
        return Run(ok=done.returncode == 0, output=done.stdout + done.stderr)

    def _command(self, *command: str, config: bool) -> list[str]:
        where = ["--config-file", str(self._config)] if config else []
        stack = [] if command[:2] == ("stack", "select") else ["--stack", self.name]
        return ["pulumi", *command, *stack, *where]

    def _pulumi(
        self, *command: str, config: bool = False, text: str | None = None
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self._command(*command, config=config),
            cwd=ROOT,
            env=self._environment,
            input=text,
            capture_output=True,
            text=True,
            check=False,
            timeout=1500,
        )
