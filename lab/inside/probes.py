"""How the supervisor knows that a unit does its work."""

import http
import http.client
import socket
import subprocess

from lab.inside import database, places
from lab.inside.unit import Probe


def listens(port: int, address: str = places.ADDRESS) -> Probe:
    def probe(_started: float) -> bool:
        try:
            with socket.create_connection((address, port), timeout=0.3):
                return True
        except OSError:
            return False

    return probe


def answers_http(port: int) -> Probe:
    """For servers that open their port before they have loaded their code."""

    def probe(_started: float) -> bool:
        connection = http.client.HTTPConnection(places.ADDRESS, port, timeout=0.5)
        try:
            connection.request("GET", "/")
            return connection.getresponse().status < http.HTTPStatus.INTERNAL_SERVER_ERROR
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    return probe


def succeeds(*command: str) -> Probe:
    def probe(_started: float) -> bool:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    return probe


def neutron_agent(binary: str) -> Probe:
    """Neutron has heard of this agent since it was started."""

    def probe(started: float) -> bool:
        beats = database.rows(f"select heartbeat_timestamp from neutron.agents where `binary`='{binary}'")  # noqa: S608
        return any(beat >= database.moment(started) for (beat,) in beats)

    return probe


def service_reported(schema: str, binary: str, hosts: int = 1) -> Probe:
    """On that many hosts, the row in the `services` table was written since the service was started."""

    def probe(started: float) -> bool:
        table = f"{schema}.services where `binary`='{binary}' and deleted=0"
        reports = database.rows(f"select coalesce(updated_at, created_at) from {table}")  # noqa: S608
        return sum(report >= database.moment(started) for (report,) in reports) >= hosts

    return probe


def compute_takes_servers(started: float) -> bool:
    """Nova has heard of every compute host and has mapped it: the scheduler may choose it."""
    hosts = len(places.COMPUTE_HOSTS)
    mapped = database.count("select count(*) from nova.compute_nodes where deleted=0 and mapped=1")
    return mapped >= hosts and service_reported("nova", "nova-compute", hosts)(started)
