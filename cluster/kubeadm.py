"""What kubeadm reads, as YAML: the first control plane's configuration and that of every machine that joins."""

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from cluster.haproxy import API_PORT
from cluster.plan import NodePlan
from cluster.settings import ClusterSettings
from cluster.settings.rules.kubernetes import API_VERSIONS

CRI_SOCKET = "unix:///run/containerd/containerd.sock"
JOIN_TIMEOUT = "3m0s"

Document = dict[str, Any]


def init_config(
    settings: ClusterSettings,
    node: NodePlan,
    *,
    address: str,
    endpoint: str,
    certificate_names: Iterable[str] = (),
) -> str:
    """Write what the first control plane is made from.

    `endpoint` is the address every client of the API uses; `certificate_names` are further names and addresses
    under which the API may be called, like a floating IP.
    """
    kubernetes = settings.kubernetes
    names = list(dict.fromkeys((endpoint, *certificate_names)))
    return _render(
        settings,
        (
            _document(
                "InitConfiguration",
                localAPIEndpoint={"advertiseAddress": address, "bindPort": API_PORT},
                nodeRegistration=_node_registration(node, address),
            ),
            _document(
                "ClusterConfiguration",
                clusterName=settings.name,
                kubernetesVersion=f"v{kubernetes.version}",
                controlPlaneEndpoint=f"{endpoint}:{API_PORT}",
                networking={"podSubnet": str(kubernetes.pod_cidr), "serviceSubnet": str(kubernetes.service_cidr)},
                apiServer={"certSANs": names},
            ),
            _document("KubeletConfiguration"),
            _document("KubeProxyConfiguration"),
        ),
    )


def join_config(settings: ClusterSettings, node: NodePlan, *, address: str) -> str:
    """Write what a machine joins with; how it finds the cluster is on its ticket and added on the machine."""
    return _render(
        settings,
        (
            _document(
                "JoinConfiguration",
                nodeRegistration=_node_registration(node, address),
                timeouts={"discovery": JOIN_TIMEOUT, "tlsBootstrap": JOIN_TIMEOUT},
            ),
        ),
    )


def _node_registration(node: NodePlan, address: str) -> Document:
    return {
        "name": node.key,
        "criSocket": CRI_SOCKET,
        "imagePullPolicy": "IfNotPresent",
        "taints": [_taint(text) for text in node.taints],
        "kubeletExtraArgs": [{"name": "node-ip", "value": address}],
    }


def _taint(text: str) -> Document:
    pair, _, effect = text.rpartition(":")
    key, equals, value = pair.partition("=")
    return {"key": key, "effect": effect, **({"value": value} if equals else {})}


def _document(kind: str, **content: Any) -> Document:
    return {"apiVersion": API_VERSIONS[kind], "kind": kind, **content}


def _render(settings: ClusterSettings, documents: Iterable[Document]) -> str:
    merged = []
    for document in documents:
        whole = document
        for override in settings.kubernetes.kubeadm_overrides:
            if override["kind"] == document["kind"]:
                whole = _merge(whole, override)
        merged.append(whole)
    return yaml.safe_dump_all(merged, sort_keys=False, default_flow_style=False, width=1000)


def _merge(base: Mapping[str, Any], override: Mapping[str, Any]) -> Document:
    """Lay one mapping over another; lists and plain values are replaced as a whole."""
    merged = dict(base)
    for key, value in override.items():
        below = merged.get(key)
        merged[key] = _merge(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged
