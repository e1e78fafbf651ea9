"""Fixed paths and addresses inside the lab. The host binds its own directories there."""

from pathlib import Path

# The host's <cache>/lab/state: survives `lab down`.
STATE = Path("/var/lib/lab")
# The host's <cache>/lab/run: status, faults, wishes of the host side.
RUN = Path("/run/lab")
# The host's <cache>/lab/logs: one file for each unit.
LOGS = Path("/var/log/lab")
# The host's <cache>/lab/databases: fresh databases for each root directory.
KEPT = Path("/var/lib/lab-databases")
# The host's <cache>/lab/images, read-only: root directories of servers.
IMAGES = Path("/var/lib/lab-images")

STATUS = RUN / "status.json"
IMAGES_WANTED = RUN / "images.json"
STUCK_VOLUMES = RUN / "stuck-volumes"

DONE = STATE / "done"
FEATURES = STATE / "features"
CLOUDS_YAML = STATE / "clouds.yaml"
INSTANCES = STATE / "nova" / "instances"
VOLUMES = STATE / "volumes"

MARIADB_SOCKET = "/run/mysqld/mysqld.sock"

# The lab's side of the external network; every API listens here.
ADDRESS = "172.24.4.1"
API_PORTS = {
    "keystone": 5000,
    "placement": 8778,
    "glance": 9292,
    "nova": 8774,
    "neutron": 9696,
    "cinder": 8776,
    "heat": 8004,
}
# Compute hosts, the first being the one that the settings files and Neutron know. Three, so that as many masters can be
# kept apart.
COMPUTE_HOSTS = ("lab", "lab-2", "lab-3")
# Answers 503 to everything; `lab fault api SERVICE error` sends a service's clients there.
BROKEN_API_PORT = 18503
