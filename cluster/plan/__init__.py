"""From settings to machines: pure, without a cloud."""

from cluster.plan.make import plan
from cluster.plan.model import (
    Change,
    ClusterPlan,
    DrainPlan,
    Generations,
    MadeFrom,
    NodePlan,
    PlanError,
    ProxyPlan,
    Role,
    ServerGroupPlan,
    VolumePlan,
)

__all__ = [
    "Change",
    "ClusterPlan",
    "DrainPlan",
    "Generations",
    "MadeFrom",
    "NodePlan",
    "PlanError",
    "ProxyPlan",
    "Role",
    "ServerGroupPlan",
    "VolumePlan",
    "plan",
]
