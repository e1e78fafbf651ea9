"""The load balancer's configuration, as text."""

from collections.abc import Iterable
from dataclasses import dataclass

from cluster.settings import ServiceSettings

API_PORT = 6443

# A watch is silent for long, so connections live for an hour; a member that goes down loses its connections at
# once, so that clients come back to a living one instead of waiting for a timeout.
HEAD = """\
# Written by Nodewright: changes made here are overwritten.
global
  log stdout format raw local0 notice
  user haproxy
  group haproxy
  # As many connections as the machine's limits allow, up to half of this.
  fd-hard-limit 40000

defaults
  mode tcp
  log global
  timeout connect 2s
  timeout check 2s
  timeout client 1h
  timeout server 1h
  timeout tunnel 1h
  option clitcpka
  option srvtcpka
  option redispatch
  retries 3
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
"""


@dataclass(frozen=True, kw_only=True)
class Member:
    """A machine that answers behind the load balancer."""

    key: str
    address: str


def render(
    *,
    control_planes: Iterable[Member],
    workers: Iterable[Member] = (),
    services: Iterable[ServiceSettings] = (),
) -> str:
    """Write haproxy.cfg: the API first, then a frontend for every service."""
    workers = tuple(workers)
    parts = [HEAD, _api(control_planes)]
    parts += (_service(service, workers) for service in services)
    return "\n".join(parts)


def _api(control_planes: Iterable[Member]) -> str:
    # The health of an API server is what /readyz says; an open port alone may belong to one that is starting.
    servers = (
        f"  server {member.key} {member.address}:{API_PORT} check check-ssl verify none\n" for member in control_planes
    )
    return (
        f"frontend api\n  bind :{API_PORT}\n  default_backend api\n\n"
        "backend api\n  balance roundrobin\n  option httpchk\n  http-check send meth GET uri /readyz\n"
        "  http-check expect status 200\n" + "".join(servers)
    )


def _service(service: ServiceSettings, workers: Iterable[Member]) -> str:
    name = f"service-{service.name}"
    servers = (f"  server {member.key} {member.address}:{service.node_port} check\n" for member in workers)
    return (
        f"frontend {name}\n  bind :{service.port}\n  default_backend {name}\n\n"
        f"backend {name}\n  balance roundrobin\n" + "".join(servers)
    )
