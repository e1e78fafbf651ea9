"""What ran before the lab went down, and whether it runs again."""

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from lab.inside import database, places


def missing() -> list[str]:
    """Servers, ports and routers that Nova and Neutron believe in and that are not there yet."""
    active = database.rows("select uuid, display_name from nova.instances where deleted=0 and vm_state='active'")
    lost = [f"server {name}" for uuid, name in active if not init_of(uuid)]
    ports = database.rows(
        "select p.id from neutron.ports p join nova.instances i on p.device_id=i.uuid"
        " where i.deleted=0 and i.vm_state='active' and p.status<>'ACTIVE'"
    )
    lost += [f"port {port}" for (port,) in ports]
    routers = database.rows("select id from neutron.routers where gw_port_id is not null")
    lost += [f"router {router}" for (router,) in routers if not Path(f"/run/netns/qrouter-{router}").exists()]
    return lost


def init_of(uuid: str) -> int:
    """Process id of a server's init, 0 when it does not run (the start time tells it from a later namesake)."""
    try:
        pid, started = (places.INSTANCES / uuid / "pid").read_text().split()
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, ValueError):
        return 0
    return int(pid) if fields[0] != "Z" and fields[19] == started else 0


def running_servers() -> dict[str, int]:
    found = {path.name: init_of(path.name) for path in places.INSTANCES.iterdir()}
    return {uuid: pid for uuid, pid in found.items() if pid}


def halt_servers(limit_s: float, reap: Callable[[], None]) -> None:
    """Shut all servers down as a power button would; what does not obey ends with the lab."""
    for pid in running_servers().values():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGRTMIN + 3)
    until = time.time() + limit_s
    while running_servers() and time.time() < until:
        time.sleep(0.1)
        reap()
