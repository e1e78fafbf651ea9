"""Questions to the lab's database: the quickest honest answer to "is it alive" and "which server is this"."""

import subprocess
from datetime import UTC, datetime

from lab.inside import places

CLIENT = ("mariadb", "--no-defaults", "--batch", "--skip-column-names", "-uroot", f"-S{places.MARIADB_SOCKET}")


def rows(query: str) -> list[list[str]]:
    """The answer, or nothing while the database or the table does not exist."""
    done = subprocess.run([*CLIENT, "-e", query], capture_output=True, text=True, check=False)
    return [line.split("\t") for line in done.stdout.splitlines()] if done.returncode == 0 else []


def count(query: str) -> int:
    answer = rows(query)
    return int(answer[0][0]) if answer else 0


def moment(seconds: float) -> str:
    """A time as OpenStack's tables hold it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
