"""Rules about the load balancer's ports."""

from collections.abc import Hashable, Iterator

from cluster.settings.faults import Fault
from cluster.settings.rules.parts import Parts

TAKEN_PORTS = {22: "SSH", 6443: "the Kubernetes API"}


def services_have_ports_of_their_own(parts: Parts) -> Iterator[Fault]:
    """Two services cannot listen on one port, nor on those of SSH and the API."""
    if parts.load_balancer is None:
        return
    seen: dict[tuple[str, Hashable], str] = {}
    for place, service in enumerate(parts.load_balancer.services):
        path = f"load-balancer.services.{place}"
        if service.port in TAKEN_PORTS:
            yield Fault(f"{path}.port", f"is {service.port}, the port of {TAKEN_PORTS[service.port]}; take another")
        values: dict[str, Hashable] = {"name": service.name, "port": service.port, "node-port": service.node_port}
        for key, value in values.items():
            if (key, value) in seen:
                yield Fault(f"{path}.{key}", f"is {value}, as in {seen[key, value]}; take another")
            seen.setdefault((key, value), path)


RULES = (services_have_ports_of_their_own,)
