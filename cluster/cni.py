"""The manifest of the pod network, with the cluster's own addresses in it."""

from pathlib import Path

from cluster.settings import KubernetesSettings

ROOT = Path(__file__).parent.parent
POD_CIDR = "@POD_CIDR@"


def manifest(kubernetes: KubernetesSettings) -> str:
    """Read the manifest that the stack names; a user's own may hold the placeholder, too."""
    path = "manifests/cni/flannel.yaml" if kubernetes.cni == "flannel" else kubernetes.cni
    return (ROOT / path).read_text(encoding="utf-8").replace(POD_CIDR, str(kubernetes.pod_cidr))
