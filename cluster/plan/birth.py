"""Values fixed at birth: they are part of every certificate and every address, so they never change."""

from collections.abc import Iterator

from cluster.plan.names import FIRST_CONTROL_PLANE, LOAD_BALANCER
from cluster.previous import Previous
from cluster.settings import ClusterSettings
from cluster.settings.section import Section


def birth_values(settings: ClusterSettings) -> dict[str, str | None]:
    """Every value fixed at birth, by its path; marked ones, and two that follow from others."""
    return {
        **dict(_marked(settings.name_sections())),
        "kubernetes.cni": settings.kubernetes.cni_kind,
        "endpoint": LOAD_BALANCER if settings.load_balancer else FIRST_CONTROL_PLANE,
    }


def changed_birth_values(settings: ClusterSettings, previous: Previous) -> Iterator[str]:
    """Say each value that differs from the one the cluster was born with."""
    for path, new in birth_values(settings).items():
        if path in previous.birth and previous.birth[path] != new:
            old = previous.birth[path]
            yield (
                f"{path}: is fixed when a cluster is born: it was {old or 'not set'}, now {new or 'not set'}; "
                f"set it back, or make a new stack for a new cluster"
            )


def _marked(sections: dict[str, Section]) -> Iterator[tuple[str, str | None]]:
    for prefix, section in sections.items():
        for key in section.values_fixed_at_birth():
            value = getattr(section, key.replace("-", "_"))
            yield f"{prefix}.{key}" if prefix else key, None if value is None else str(value)
