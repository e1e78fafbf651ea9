"""The table of everything that runs in the lab. Read it from top to bottom: causes come before effects."""

import sys
from pathlib import Path

from lab.inside import places, probes
from lab.inside.unit import Service, Step, Unit

HERE = Path(__file__).parent
PYTHON = sys.executable or "/usr/bin/python3"


def wsgi(name: str, script: str, after: tuple[str, ...], environment: dict[str, str]) -> Service:
    """An API without a server of its own. One connection for each request: uwsgi's threads are few."""
    port = places.API_PORTS[name]
    return Service(
        name=name,
        after=after,
        environment=environment,
        answers=probes.answers_http(port),
        command=(
            "uwsgi", "--plugins", "python3", "--http-socket", f"{places.ADDRESS}:{port}",
            "--wsgi-file", script, "--processes", "1", "--threads", "4", "--enable-threads",
            "--lazy-apps", "--need-app", "--die-on-term", "--buffer-size", "65535",
            "--add-header", "Connection: close", "--disable-logging",
        ),
    )  # fmt: skip


INFRASTRUCTURE: tuple[Unit, ...] = (
    Service(
        name="memcached",
        command=("memcached", "-u", "root", "-l", "127.0.0.1", "-m", "64", "-U", "0"),
        answers=probes.listens(11211, "127.0.0.1"),
    ),
    Service(
        name="rabbitmq",
        command=("/opt/nodewright/lab/inside/rabbitmq-run",),
        answers=probes.listens(5672, "127.0.0.1"),
    ),
    Step(
        name="mariadb-install",
        command=(
            "mariadb-install-db",
            "--defaults-file=/etc/lab/mariadb.cnf",
            "--user=root",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        ),
    ),
    Service(
        name="mariadb",
        after=("mariadb-install",),
        command=("mariadbd", "--defaults-file=/etc/lab/mariadb.cnf", "--user=root"),
        answers=probes.succeeds("mariadb-admin", "--no-defaults", "-uroot", f"-S{places.MARIADB_SOCKET}", "ping"),
    ),
    Step(
        name="schemas",
        after=("mariadb",),
        command=(PYTHON, "-m", "lab.inside.schemas"),
    ),
    Service(
        name="broken-api",
        command=(PYTHON, "-m", "lab.inside.broken_api"),
        answers=probes.listens(places.BROKEN_API_PORT, "127.0.0.1"),
    ),
)

APIS: tuple[Unit, ...] = (
    wsgi(
        "keystone",
        "/usr/bin/keystone-wsgi-public",
        ("schemas", "memcached"),
        # Under uwsgi it looks for no settings of its own accord.
        {"OS_KEYSTONE_CONFIG_DIR": "/etc/keystone", "OS_KEYSTONE_CONFIG_FILES": "keystone.conf"},
    ),
    Step(
        name="accounts",
        after=("keystone",),
        command=(PYTHON, "-m", "lab.inside.accounts"),
        inputs=(HERE / "accounts.py",),
    ),
    wsgi("placement", "/usr/bin/placement-api", ("schemas",), {}),
    Service(
        name="neutron",
        after=("rabbitmq", "schemas"),
        command=(PYTHON, "-m", "lab.drivers.neutron_server", "--config-file", "/etc/neutron/neutron.conf"),
        answers=probes.listens(places.API_PORTS["neutron"]),
    ),
    Service(
        name="nova",
        after=("schemas",),
        command=("nova-api",),
        answers=probes.listens(places.API_PORTS["nova"]),
    ),
    Service(
        name="nova-conductor",
        # It asks Keystone before it does anything else, as user nova.
        after=("rabbitmq", "schemas", "accounts"),
        command=("nova-conductor",),
        answers=probes.service_reported("nova", "nova-conductor"),
    ),
    Service(
        name="nova-scheduler",
        after=("rabbitmq", "schemas", "accounts"),
        command=("nova-scheduler",),
        answers=probes.service_reported("nova", "nova-scheduler"),
    ),
    Service(
        name="glance",
        after=("schemas", "accounts"),
        command=("glance-api",),
        answers=probes.listens(places.API_PORTS["glance"]),
    ),
    Service(
        name="cinder",
        after=("schemas",),
        command=("cinder-api",),
        answers=probes.listens(places.API_PORTS["cinder"]),
    ),
    Service(
        name="cinder-scheduler",
        after=("rabbitmq", "schemas"),
        command=("cinder-scheduler",),
        answers=probes.service_reported("cinder", "cinder-scheduler"),
    ),
    Service(
        name="cinder-volume",
        after=("rabbitmq", "schemas", "accounts"),
        command=("cinder-volume",),
        answers=probes.service_reported("cinder", "cinder-volume"),
    ),
)

AGENTS: tuple[Unit, ...] = (
    *(
        Service(
            name=f"neutron-{agent}",
            # Started earlier, their first report fails and the next one is ten seconds away.
            after=("neutron", "accounts"),
            command=(f"neutron-{agent}-agent", "--config-file", "/etc/neutron/neutron.conf"),
            answers=probes.neutron_agent(f"neutron-{agent}-agent"),
        )
        for agent in ("linuxbridge", "l3", "dhcp")
    ),
    Service(
        name="nova-compute",
        # It waits for the conductor by itself, with its code loaded.
        after=("rabbitmq", "placement", "neutron", "accounts"),
        # Named, as Debian's second settings file asks for libvirt.
        command=(PYTHON, "-m", "lab.drivers.nova_compute", "--config-file", "/etc/nova/nova.conf"),
        answers=probes.compute_takes_servers,
    ),
)

HEAT: tuple[Unit, ...] = (
    Service(
        name="heat",
        after=("schemas",),
        command=("heat-api",),
        answers=probes.listens(places.API_PORTS["heat"]),
        feature="heat",
    ),
    Service(
        name="heat-engine",
        after=("rabbitmq", "schemas"),
        command=("heat-engine",),
        feature="heat",
    ),
)

# What the lab's user finds in the cloud.
OFFER: tuple[Unit, ...] = (
    Step(
        name="offer",
        after=("nova", "neutron", "cinder", "placement"),
        command=(PYTHON, "-m", "lab.inside.offer"),
        inputs=(HERE / "offer.py",),
    ),
    Step(
        name="images",
        after=("glance",),
        command=(PYTHON, "-m", "lab.inside.images"),
        inputs=(places.IMAGES_WANTED,),
    ),
)

UNITS: tuple[Unit, ...] = INFRASTRUCTURE + APIS + AGENTS + HEAT + OFFER
