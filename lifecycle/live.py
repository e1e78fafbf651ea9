"""What runs in the cluster now, as far as an operation can disturb it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lifecycle.kubernetes_api import KubernetesApi, UnreachableError

# A pod of these goes with its machine and comes back with the next one; nobody evicts it.
STAYS_WITH_NODE = frozenset({"DaemonSet", "Node"})
OVER = frozenset({"Succeeded", "Failed"})


@dataclass(frozen=True, kw_only=True)
class LiveNode:
    """A Node object."""

    name: str
    ready: bool
    cordoned: bool
    version: str
    address: str


@dataclass(frozen=True, kw_only=True)
class LivePod:
    """A pod that would have to move when its node goes."""

    namespace: str
    name: str
    node: str
    labels: Mapping[str, str]
    managed: bool
    """Something makes a new one elsewhere."""
    local_data: bool
    """Has an emptyDir, which is lost."""

    @property
    def full_name(self) -> str:
        """Name and namespace."""
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class LiveBudget:
    """A PodDisruptionBudget and what it allows right now."""

    namespace: str
    name: str
    allowed: int
    healthy: int
    wanted: int
    selector: Mapping[str, Any]

    def covers(self, pod: LivePod) -> bool:
        """Tell whether the budget counts this pod."""
        return pod.namespace == self.namespace and _matches(self.selector, pod.labels)


@dataclass(frozen=True, kw_only=True)
class Live:
    """The cluster as it answered, or why it did not."""

    nodes: Mapping[str, LiveNode]
    pods: tuple[LivePod, ...]
    budgets: tuple[LiveBudget, ...]
    etcd: Mapping[str, bool]
    """Whether each node's etcd member is ready."""
    unknown: str | None = None
    """Why nothing is known; `None` when the cluster answered."""

    @property
    def etcd_ready(self) -> int:
        """How many etcd members are ready."""
        return sum(self.etcd.values())


def unknown(reason: str) -> Live:
    """Say that nothing is known, and why."""
    return Live(nodes={}, pods=(), budgets=(), etcd={}, unknown=reason)


def look(kubeconfig: str | None) -> Live:
    """Ask the cluster; an unreachable one is an answer, too."""
    if not kubeconfig:
        return unknown("the stack has no kubeconfig yet")
    try:
        api = KubernetesApi(kubeconfig)
        return read(
            api.get("/api/v1/nodes")["items"],
            api.get("/api/v1/pods")["items"],
            api.get("/apis/policy/v1/poddisruptionbudgets")["items"],
        )
    except UnreachableError as error:
        return unknown(str(error))


def read(nodes: Iterable[Any], pods: Iterable[Any], budgets: Iterable[Any]) -> Live:
    """Read what the API said."""
    pods = tuple(pods)
    moving = tuple(_pod(pod) for pod in pods if _must_move(pod))
    return Live(
        nodes={node.name: node for node in map(_node, nodes)},
        pods=tuple(sorted(moving, key=lambda pod: pod.full_name)),
        budgets=tuple(sorted(map(_budget, budgets), key=lambda budget: (budget.namespace, budget.name))),
        etcd={pod["spec"]["nodeName"]: _condition(pod, "Ready") for pod in pods if _is_etcd(pod)},
    )


def _node(node: Any) -> LiveNode:
    addresses = {item["type"]: item["address"] for item in node["status"].get("addresses", ())}
    return LiveNode(
        name=node["metadata"]["name"],
        ready=_condition(node, "Ready"),
        cordoned=bool(node["spec"].get("unschedulable")),
        version=node["status"]["nodeInfo"]["kubeletVersion"].removeprefix("v"),
        address=addresses.get("InternalIP", ""),
    )


def _condition(thing: Any, kind: str) -> bool:
    conditions = thing["status"].get("conditions", ())
    return any(item["type"] == kind and item["status"] == "True" for item in conditions)


def _owners(pod: Any) -> set[str]:
    return {owner["kind"] for owner in pod["metadata"].get("ownerReferences", ())}


def _must_move(pod: Any) -> bool:
    return (
        bool(pod["spec"].get("nodeName"))
        and not _owners(pod) & STAYS_WITH_NODE
        and pod["status"].get("phase") not in OVER
    )


def _is_etcd(pod: Any) -> bool:
    meta = pod["metadata"]
    return bool(meta["namespace"] == "kube-system" and meta.get("labels", {}).get("component") == "etcd")


def _pod(pod: Any) -> LivePod:
    return LivePod(
        namespace=pod["metadata"]["namespace"],
        name=pod["metadata"]["name"],
        node=pod["spec"]["nodeName"],
        labels=pod["metadata"].get("labels", {}),
        managed=bool(_owners(pod)),
        local_data=any("emptyDir" in volume for volume in pod["spec"].get("volumes", ())),
    )


def _budget(budget: Any) -> LiveBudget:
    status = budget.get("status", {})
    return LiveBudget(
        namespace=budget["metadata"]["namespace"],
        name=budget["metadata"]["name"],
        allowed=status.get("disruptionsAllowed", 0),
        healthy=status.get("currentHealthy", 0),
        wanted=status.get("desiredHealthy", 0),
        selector=budget["spec"].get("selector") or {},
    )


def _matches(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    wished = selector.get("matchLabels") or {}
    rules = selector.get("matchExpressions") or ()
    return bool(wished.items() <= labels.items()) and all(_fits(rule, labels) for rule in rules)


def _fits(rule: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value, values = labels.get(rule["key"]), tuple(rule.get("values") or ())
    match rule["operator"]:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case _:
            return value is None
