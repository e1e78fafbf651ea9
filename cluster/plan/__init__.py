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
from cluster.plan.registry import PullSecretPlan, RegistryAccessPlan, RegistryPlan
from cluster.plan.storage import ExportPlan, PersistentVolumePlan, StoragePlan

__all__ = [
    "Change",
    "ClusterPlan",
    "DrainPlan",
    "ExportPlan",
    "Generations",
    "MadeFrom",
    "NodePlan",
    "PersistentVolumePlan",
    "PlanError",
    "ProxyPlan",
    "PullSecretPlan",
    "RegistryAccessPlan",
    "RegistryPlan",
    "Role",
    "ServerGroupPlan",
    "StoragePlan",
    "VolumePlan",
    "plan",
]
