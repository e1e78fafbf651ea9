"""From a stack's config to its resources and exports: the whole road, once."""

from typing import Any

from cluster.build import build
from cluster.engine_state import attempts, cluster_config, cluster_passwords, cluster_secret, previous_outputs
from cluster.keys import SecretError
from cluster.plan import PlanError, plan
from cluster.previous import parse
from cluster.settings import SettingsError, load

REFUSALS = (SettingsError, PlanError, SecretError)


def exports() -> dict[str, Any]:
    """Declare the cluster that the stack's config asks for; give what the stack tells the world."""
    settings = load(cluster_config())
    secret = cluster_secret()
    before = previous_outputs()
    cluster_plan = plan(settings, parse(before))
    tries = attempts(cluster_plan, before)
    passwords = cluster_passwords()
    return {
        **build(settings, cluster_plan, secret=secret, passwords=passwords, attempts=tries).exports(),
        "attempts": tries,
    }
