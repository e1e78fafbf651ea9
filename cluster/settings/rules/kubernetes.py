"""Rules about Kubernetes: versions that are supported, and what kubeadm may be told beside our settings."""

from collections.abc import Iterator, Mapping
from typing import Any

from cluster.settings.faults import Fault
from cluster.settings.rules.parts import Parts

OLDEST_MINOR = 31
KUBEADM_API = "kubeadm.k8s.io/v1beta4"
API_VERSIONS = {
    "InitConfiguration": KUBEADM_API,
    "ClusterConfiguration": KUBEADM_API,
    "JoinConfiguration": KUBEADM_API,
    "KubeletConfiguration": "kubelet.config.k8s.io/v1beta1",
    "KubeProxyConfiguration": "kubeproxy.config.k8s.io/v1alpha1",
}
# What a kubeadm document may not say, because a setting or the join itself says it.
SAID_ELSEWHERE = {
    "InitConfiguration": {
        "nodeRegistration.name": "names come from the plan",
        "nodeRegistration.taints": "use control-plane.taints",
        "localAPIEndpoint": "it is the machine's own address",
        "bootstrapTokens": "every join gets a token of its own",
        "certificateKey": "every join gets a key of its own",
    },
    "ClusterConfiguration": {
        "kubernetesVersion": "use kubernetes.version",
        "clusterName": "use name",
        "controlPlaneEndpoint": "it is the load balancer or the only control plane",
        "networking.podSubnet": "use kubernetes.pod-cidr",
        "networking.serviceSubnet": "use kubernetes.service-cidr",
        "etcd.external": "etcd runs on the control plane",
    },
    "JoinConfiguration": {
        "nodeRegistration.name": "names come from the plan",
        "nodeRegistration.taints": "use the pool's taints",
        "discovery": "it is on the ticket of each join",
        "controlPlane": "it is on the ticket of each join",
    },
}


def version_is_supported(parts: Parts) -> Iterator[Fault]:
    """Our configuration is in words that older versions do not know."""
    if parts.kubernetes is None:
        return
    major, minor, _ = (int(part) for part in parts.kubernetes.version.split("."))
    if major != 1 or minor < OLDEST_MINOR:
        yield Fault(
            "kubernetes.version", f"is {parts.kubernetes.version}; give 1.{OLDEST_MINOR}.0 or a newer version 1.x"
        )


def overrides_fit_kubeadm(parts: Parts) -> Iterator[Fault]:
    """An override is a document kubeadm knows, and leaves alone what has a setting."""
    for place, override in enumerate(parts.kubernetes.kubeadm_overrides if parts.kubernetes else ()):
        path = f"kubernetes.kubeadm-overrides.{place}"
        kind = override.get("kind")
        if not isinstance(kind, str) or kind not in API_VERSIONS:
            yield Fault(f"{path}.kind", f"is {kind!r}; give one of {', '.join(API_VERSIONS)}")
            continue
        api_version = override.get("apiVersion", API_VERSIONS[kind])
        if api_version != API_VERSIONS[kind]:
            yield Fault(f"{path}.apiVersion", f"is {api_version!r}; give {API_VERSIONS[kind]} or leave it out")
        for said, reason in SAID_ELSEWHERE.get(kind, {}).items():
            if _says(override, said):
                yield Fault(f"{path}.{said}", f"cannot be set here: {reason}; remove it")


def _says(document: Mapping[str, Any], path: str) -> bool:
    current: Any = document
    for part in path.split("."):
        if not isinstance(current, Mapping) or part not in current:
            return False
        current = current[part]
    return True


RULES = (version_is_supported, overrides_fit_kubeadm)
