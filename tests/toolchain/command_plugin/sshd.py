"""A real SSH server of our own on a port of 127.0.0.1, with keys and login that exist only for the test."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

STARTS_WITHIN_S = 20
PASSPHRASE = "open sesame for the test"


def find_sshd() -> str:
    """Find the server's program; it must be called by its full path."""
    found = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:" + os.environ.get("PATH", ""))
    assert found, "these tests need an SSH server: install it with `apt-get install openssh-server`"
    return found


def make_key(path: Path, kind: str = "ed25519", passphrase: str = "") -> Path:
    """Make a key pair; the public half lies beside it as .pub."""
    subprocess.run(
        ["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", "test", "-f", path],
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class Keys:
    """The keys with which the test logs in: one plain, one encrypted, one that only the agent has."""

    plain: Path
    encrypted: Path
    agent: Path

    @classmethod
    def make(cls, directory: Path) -> Keys:
        directory.mkdir()
        return cls(
            plain=make_key(directory / "plain"),
            encrypted=make_key(directory / "encrypted", passphrase=PASSPHRASE),
            agent=make_key(directory / "agent"),
        )

    @property
    def authorized(self) -> str:
        return "".join(key.with_suffix(".pub").read_text() for key in (self.plain, self.encrypted, self.agent))


class SshServer:
    """One server; several may run at once, as the machine and its bastion."""

    def __init__(
        self,
        directory: Path,
        keys: Keys,
        *,
        settings: str = "AcceptEnv *",
        port: int | None = None,
        sftp: str = "internal-sftp",
    ) -> None:
        directory.mkdir()
        self._program = find_sshd()
        self._directory = directory
        self._keys = keys
        self.port = port or free_port()
        self._process: subprocess.Popen[bytes] | None = None
        host_keys = [make_key(directory / f"host_{kind}", kind) for kind in ("rsa", "ed25519")]
        (directory / "authorized_keys").write_text(keys.authorized)
        lines = [
            f"Port {self.port}",
            "ListenAddress 127.0.0.1",
            *(f"HostKey {key}" for key in host_keys),
            f"AuthorizedKeysFile {directory}/authorized_keys",
            "StrictModes no",
            "UsePAM no",
            "PermitRootLogin yes",
            "PasswordAuthentication no",
            "MaxStartups 100",
            "PidFile none",
            *([f"Subsystem sftp {sftp}"] if sftp else []),
            settings,
        ]
        (directory / "sshd_config").write_text("\n".join(lines) + "\n")

    def start(self) -> None:
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)  # the server insists on it
        with (self._directory / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._program, "-D", "-e", "-f", self._directory / "sshd_config"], stderr=log, stdin=subprocess.DEVNULL
            )
        deadline = time.monotonic() + STARTS_WITHIN_S
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        pytest.fail(f"sshd does not answer: {(self._directory / 'log').read_text()}")

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait(timeout=10)

    def host_key(self, kind: str = "ed25519") -> str:
        return (self._directory / f"host_{kind}.pub").read_text().strip()

    def connection(self, **others: Any) -> dict[str, Any]:
        """Give the `connection` input of a command on this server; others override, None leaves out."""
        usual = {
            "host": "127.0.0.1",
            "port": self.port,
            "user": getpass.getuser(),
            "privateKey": self._keys.plain.read_text(),
            "hostKey": self.host_key(),
        }
        return {name: value for name, value in {**usual, **others}.items() if value is not None}


class SshAgent:
    """An agent that holds one key."""

    def __init__(self, directory: Path, key: Path) -> None:
        self.socket = directory / "agent.sock"
        self._process = subprocess.Popen(["ssh-agent", "-D", "-a", self.socket], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + STARTS_WITHIN_S
        while not self.socket.exists():
            assert time.monotonic() < deadline, "ssh-agent does not start"
            time.sleep(0.05)
        subprocess.run(
            ["ssh-add", "-q", key],
            check=True,
            capture_output=True,
            env={**os.environ, "SSH_AUTH_SOCK": str(self.socket)},
        )

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(timeout=10)
