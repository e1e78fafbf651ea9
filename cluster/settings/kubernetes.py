"""What a stack says about Kubernetes itself."""

from enum import StrEnum
from ipaddress import IPv4Network
from typing import Any

from cluster.settings.section import Section, setting
from cluster.settings.words import Cni, Network, Url, Version


class Installer(StrEnum):
    """Who makes a cluster of the machines."""

    KUBEADM = "kubeadm"
    KUBESPRAY = "kubespray"
    CLUSTER_API = "cluster-api"


class KubernetesSettings(Section):
    """Version, address ranges and network plugin."""

    version: Version = setting("The version every node runs; raising it rolls the cluster, control plane first.")
    pod_cidr: Network = setting(
        "Addresses of pods; each node takes a /24 of it.", birth=True, default=IPv4Network("10.244.0.0/16")
    )
    service_cidr: Network = setting("Addresses of services.", birth=True, default=IPv4Network("10.96.0.0/16"))
    cni: Cni = setting("Network plugin: `flannel`, or the path of a manifest of your own.", default="flannel")
    package_source: Url | None = setting(
        "Where machines made from a plain image get their packages; a mirror of pkgs.k8s.io. "
        "A prepared image does not need it.",
        default=None,
    )
    kubeadm_overrides: tuple[dict[str, Any], ...] = setting(
        "Documents merged by their `kind` into the kubeadm configuration, for what has no setting here.", default=()
    )

    @property
    def cni_kind(self) -> str:
        """Who brings the network: ours, or a manifest; a cluster cannot go from one to the other."""
        return "flannel" if self.cni == "flannel" else "manifest"
