"""The state of a cluster: wished, recorded, in the cloud and in Kubernetes, compared machine by machine."""

from lifecycle.status.compare import compare
from lifecycle.status.model import NodeStatus, Proposal, Status
from lifecycle.status.text import render as text

__all__ = ["NodeStatus", "Proposal", "Status", "compare", "text"]
