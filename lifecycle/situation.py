"""What an operation starts from: what the stack asks for, what it is, and what runs."""

from dataclasses import dataclass

from cluster.plan import ClusterPlan
from cluster.settings import ClusterSettings
from lifecycle.exports import Exports
from lifecycle.live import Live


@dataclass(frozen=True, kw_only=True)
class Situation:
    """The wish (settings and plan), the record (exports) and the world (live)."""

    settings: ClusterSettings
    plan: ClusterPlan
    exports: Exports
    live: Live
