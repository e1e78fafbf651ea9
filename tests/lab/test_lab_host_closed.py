"""The lab seen from the machine it runs on: nothing of it is in the machine's network."""

import contextlib
import os
import socket
import subprocess
import sys

import pytest

from lab import teardown
from lab.inside import places
from tests.lab.conftest import Lab

pytestmark = pytest.mark.lab_host

# Of the services that are no APIs: database, message queue, cache.
OTHER_PORTS = (3306, 5672, 11211)
CONNECT = "import socket, sys; [socket.create_connection((sys.argv[1], int(port)), 5) for port in sys.argv[2:]]"


def said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_no_process_of_the_lab_is_in_the_machines_network(lab: Lab) -> None:
    own = os.stat("/proc/self/ns/net").st_ino
    looked_at = 0
    for number in teardown.strays():
        with contextlib.suppress(FileNotFoundError):  # it ended meanwhile
            assert os.stat(f"/proc/{number}/ns/net").st_ino != own
            looked_at += 1
    assert looked_at > 10


def test_machine_has_no_address_route_or_link_of_the_lab(lab: Lab) -> None:
    prefix = places.ADDRESS.rpartition(".")[0]
    assert prefix not in said("ip", "-oneline", "addr")
    assert prefix not in said("ip", "route", "show", "table", "all")
    links = {line.split(": ")[1].split("@")[0] for line in said("ip", "-oneline", "link").splitlines()}
    assert not [link for link in links if link.startswith(("br-ex", "brq", "tap", "qr-", "qg-"))]


def test_ports_that_are_taken_on_the_machine_are_free_in_the_lab(lab: Lab) -> None:
    apis = [port for service, port in places.API_PORTS.items() if service != "heat"]
    with contextlib.ExitStack() as taken:
        for port in (*apis, *OTHER_PORTS):
            # One that somebody else has already is as good as taken by us.
            with contextlib.suppress(OSError):
                taken.enter_context(socket.create_server(("", port)))
        lab("up", "--image", "debian-12")
        lab("exec", sys.executable, "-c", CONNECT, places.ADDRESS, *map(str, apis))
