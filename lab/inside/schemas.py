"""All databases with their tables, as `db sync` of each service makes them.

That takes half a minute of both processors, so the result is kept as SQL beside the root directory it belongs to: the
next lab that starts from nothing reads it back in some seconds.
"""

import os
import secrets
import subprocess
import sys
from base64 import urlsafe_b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lab.inside import database, places

DATABASES = ("keystone", "placement", "glance", "nova_api", "nova", "nova_cell0", "neutron", "cinder", "heat")
INTERFACES = ("public", "internal", "admin")
BOOTSTRAP = (
    "keystone-manage", "bootstrap", "--bootstrap-password", "lab", "--bootstrap-region-id", "RegionOne",
    *(word for name in INTERFACES for word in (f"--bootstrap-{name}-url", f"http://{places.ADDRESS}:5000/v3/")),
)  # fmt: skip
CELL0 = f"mysql+pymysql://root@localhost/nova_cell0?unix_socket={places.MARIADB_SOCKET}&charset=utf8"
# One chain for each processor; each command can be repeated after an interruption.
CHAINS: tuple[tuple[tuple[str, ...], ...], ...] = (
    (
        ("keystone-manage", "db_sync"),
        BOOTSTRAP,
        ("nova-manage", "api_db", "sync"),
        ("nova-manage", "cell_v2", "map_cell0", "--database_connection", CELL0),
        ("nova-manage", "cell_v2", "create_cell", "--name", "cell1"),
        ("nova-manage", "db", "sync"),
    ),
    (
        ("neutron-db-manage", "upgrade", "heads"),
        ("cinder-manage", "db", "sync"),
        ("glance-manage", "db_sync"),
        ("placement-manage", "db", "sync"),
        ("heat-manage", "db_sync"),
    ),
)
# What a command may answer besides 0: create_cell says 2 when the cell exists.
FINE: dict[tuple[str, ...], tuple[int, ...]] = {("nova-manage", "cell_v2", "create_cell", "--name", "cell1"): (0, 2)}
# Present while half of the kept SQL may have been read back.
LOADING = places.STATE / "schemas-loading"
KEY_DIRECTORIES = ("fernet-keys", "credential-keys")


def create_keys() -> None:
    """Keystone's key repositories: 0 is the next key, 1 the one in use."""
    for name in KEY_DIRECTORIES:
        directory = places.STATE / "keystone" / name
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        for number in ("0", "1"):
            key = directory / number
            if not key.exists():
                key.touch(mode=0o600)
                key.write_bytes(urlsafe_b64encode(secrets.token_bytes(32)))


def kept() -> Path:
    """Where the SQL for this root directory is kept."""
    return places.KEPT / f"{os.environ['LAB_ROOT']}.sql"


def are_there() -> bool:
    """Databases with content that must not be replaced. What was half loaded is none."""
    found = {name for (name,) in database.rows("show databases")}
    return bool(found & set(DATABASES)) and not LOADING.exists()


def load(path: Path) -> None:
    LOADING.touch()
    with path.open("rb") as sql:
        subprocess.run([*database.CLIENT], stdin=sql, check=True)
    LOADING.unlink()


def make() -> None:
    created = " ".join(f"create database if not exists {name};" for name in DATABASES)
    subprocess.run([*database.CLIENT, "-e", created], check=True)
    with ThreadPoolExecutor(len(CHAINS)) as pool:
        for chain in [pool.submit(run_chain, chain) for chain in CHAINS]:
            chain.result()


def run_chain(chain: tuple[tuple[str, ...], ...]) -> None:
    for command in chain:
        print("---", *command, flush=True)
        code = subprocess.run(command, check=False).returncode
        if code not in FINE.get(command, (0,)):
            sys.exit(f"{' '.join(command)}: exit code {code}")


def keep(path: Path) -> None:
    unfinished = path.with_suffix(".unfinished")
    options = ("--no-defaults", "-uroot", f"-S{places.MARIADB_SOCKET}", "--single-transaction", "--databases")
    with unfinished.open("wb") as sql:
        subprocess.run(["mariadb-dump", *options, *DATABASES], stdout=sql, check=True)
    unfinished.rename(path)


def main() -> None:
    create_keys()
    if are_there():
        make()
    elif kept().exists():
        load(kept())
    else:
        make()
        keep(kept())


if __name__ == "__main__":
    main()
