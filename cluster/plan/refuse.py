"""What is refused before anything changes, because the cluster that exists would not survive it."""

from cluster.plan.birth import changed_birth_values
from cluster.plan.model import NodePlan, PlanError
from cluster.previous import Previous
from cluster.settings import ClusterSettings


def refuse(settings: ClusterSettings, nodes: tuple[NodePlan, ...], previous: Previous) -> None:
    """Raise `PlanError` with every reason, or do nothing."""
    reasons = tuple(changed_birth_values(settings, previous)) if previous.exists else ()
    if reasons:
        raise PlanError(reasons)
