"""Servers as their owner's hands would find them: by name, on this machine."""

import subprocess
from dataclasses import dataclass
from pathlib import PurePosixPath

from lab import alive, paths
from lab.errors import LabError

QUERY = "select uuid, display_name from nova.instances where deleted=0"
CHANGING = """
    select uuid from nova.instances where deleted=0 and (vm_state='building' or task_state is not null)
    union select instance_uuid from nova_api.build_requests"""
OFFERED = """
    select p.value from glance.image_properties p join glance.images i on i.id=p.image_id
    where p.name='lab_directory' and p.deleted=0 and i.deleted=0"""


@dataclass(frozen=True, kw_only=True)
class Server:
    uuid: str
    name: str

    @property
    def netns(self) -> str:
        return f"vm-{self.uuid[:11]}"

    @property
    def directory(self) -> str:
        """Inside the lab."""
        return f"/var/lib/lab/nova/instances/{self.uuid}"


def ask(*command: str) -> str:
    """What a program inside the lab says."""
    done = subprocess.run(alive.inside(*command), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        message = f"running {command[0]} in the lab: {done.stderr.strip() or done.stdout.strip()}"
        raise LabError(message)
    return done.stdout


def rows(query: str) -> list[list[str]]:
    """From the services' databases: they answer when an API is broken on purpose, too."""
    answer = ask("mariadb", "--no-defaults", "--batch", "--skip-column-names", "-uroot", "-e", query)
    return [line.split("\t") for line in answer.splitlines()]


def everyone() -> list[Server]:
    return [Server(uuid=uuid, name=name) for uuid, name in rows(QUERY)]


def changing() -> bool:
    """Whether Nova is making a server, or has something else in hand."""
    return bool(rows(CHANGING))


def images_below() -> set[str]:
    """Names of the root directories that servers stand on, also of those that do not run."""
    files = (paths.state() / "nova" / "instances").glob("*/lower")
    return {PurePosixPath(file.read_text().strip()).name for file in files}


def images_offered() -> set[str]:
    """Names of the root directories that Glance's images stand for."""
    return {directory for (directory,) in rows(OFFERED)}


def find(wanted: str) -> Server:
    servers = everyone()
    found = [server for server in servers if wanted in (server.name, server.uuid)]
    if len(found) == 1:
        return found[0]
    if found:
        choice = ", ".join(server.uuid for server in found)
        message = f"looking for server {wanted}: {len(found)} have this name; use one of the ids {choice}"
        raise LabError(message)
    names = ", ".join(sorted(server.name for server in servers)) or "none at all"
    message = f"looking for server {wanted}: there is none; the lab has {names}"
    raise LabError(message)
