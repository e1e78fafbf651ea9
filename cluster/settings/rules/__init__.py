"""Rules between settings: each looks at the parts that could be read and says what does not fit."""

from collections.abc import Iterator

from cluster.settings.faults import Fault
from cluster.settings.rules import kubernetes, machines, network, reach, registry, services, storage
from cluster.settings.rules.parts import Parts

RULES = (
    *kubernetes.RULES,
    *machines.RULES,
    *network.RULES,
    *reach.RULES,
    *registry.RULES,
    *services.RULES,
    *storage.RULES,
)


def broken_rules(parts: Parts) -> Iterator[Fault]:
    """Say every rule that the parts break."""
    for rule in RULES:
        yield from rule(parts)
