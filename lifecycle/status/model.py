"""What `status` says."""

from dataclasses import asdict, dataclass
from typing import Any

SCHEMA = "nodewright/status/v1"


@dataclass(frozen=True, kw_only=True)
class NodeStatus:
    """One machine, from every side."""

    node: str
    role: str
    address: str
    incarnation: str
    server: str
    """What the cloud says: its status, `gone` or `unknown`."""
    kubernetes: str
    """`Ready`, `NotReady`, `missing`, `unknown`, or `-` for a machine that is no node."""
    broken: tuple[str, ...] = ()
    """What a heal mends."""
    notes: tuple[str, ...] = ()
    """What needs no heal: cordoned, behind, asked for and not done yet."""


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """What would mend it."""

    command: str
    edits: tuple[str, ...]
    """The change of the stack file that the command makes."""


@dataclass(frozen=True, kw_only=True)
class Status:
    """The cluster, compared."""

    stack: str
    cluster: str
    endpoint: str
    nodes: tuple[NodeStatus, ...]
    strangers: tuple[str, ...]
    """What carries the cluster's name in the cloud or in Kubernetes, and the stack does not know."""
    interrupted: tuple[str, ...]
    """What an operation that died has left; the next operation takes it away."""
    proposals: tuple[Proposal, ...]
    unknown: tuple[str, ...]
    """What could not be asked, and why."""

    @property
    def healthy(self) -> bool:
        """Tell whether nothing is broken, as far as could be seen."""
        return not self.strangers and not self.interrupted and not any(node.broken for node in self.nodes)

    def to_json(self) -> dict[str, Any]:
        """Give it as JSON; docs/results.md has the schema."""
        return {"schema": SCHEMA, "healthy": self.healthy, **asdict(self)}
