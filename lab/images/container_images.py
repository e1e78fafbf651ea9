"""Which container images a node of a Kubernetes version carries, under the names that kubeadm and the manifests use."""

from collections.abc import Mapping
from pathlib import Path

from lab.images import recipe
from lab.images.container_archive import ContainerImage, with_libraries

REGISTRY = "registry.k8s.io"
FLANNEL_REGISTRY = "ghcr.io/flannel-io"


def for_node(version: str, tools: Mapping[str, Path], root: Path) -> list[ContainerImage]:
    """All images of a node; dynamically linked programs are taken from `root`, its own root directory."""
    kubernetes = tools[f"kubernetes-{version}"] / "bin"
    return [
        *(
            _static(f"{REGISTRY}/{name}:v{version}", kubernetes / name, f"/usr/local/bin/{name}")
            for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
        ),
        ContainerImage(
            reference=f"{REGISTRY}/kube-proxy:v{version}",
            files={"/usr/local/bin/kube-proxy": kubernetes / "kube-proxy"} | _packet_filter(root),
            links=_packet_filter_names(),
        ),
        _static(f"{REGISTRY}/pause:{recipe.PAUSE_TAG}", kubernetes / "pause", "/pause"),
        ContainerImage(
            reference=f"{REGISTRY}/etcd:{recipe.ETCD_TAG}",
            files={f"/usr/local/bin/{name}": tools["etcd"] / "bin" / name for name in ("etcd", "etcdctl")},
        ),
        _static(f"{REGISTRY}/coredns/coredns:{recipe.COREDNS_TAG}", tools["coredns"] / "bin/coredns", "/coredns"),
        ContainerImage(
            reference=f"{FLANNEL_REGISTRY}/flannel:{recipe.FLANNEL_TAG}",
            files={"/opt/bin/flanneld": tools["flannel"] / "bin/flanneld"}
            | _packet_filter(root)
            | with_libraries(root, "/bin/cp"),
            links=_packet_filter_names(),
            entrypoint=("/opt/bin/flanneld",),
        ),
        ContainerImage(
            reference=f"{FLANNEL_REGISTRY}/flannel-cni-plugin:{recipe.FLANNEL_PLUGIN_TAG}",
            files={"/flannel": tools["flannel"] / "bin/flannel"} | with_libraries(root, "/bin/cp"),
        ),
        _static(recipe.HELLO, tools["hello"], "/hello"),
    ]


def _static(reference: str, program: Path, path: str) -> ContainerImage:
    return ContainerImage(reference=reference, files={path: program}, entrypoint=(path,))


def _packet_filter(root: Path) -> dict[str, Path]:
    """nft, and iptables in its nft form with the extensions that it loads by name."""
    extensions = root / "usr/lib/x86_64-linux-gnu/xtables"
    return with_libraries(root, "/usr/sbin/nft", "/usr/sbin/xtables-nft-multi") | {
        f"/usr/lib/x86_64-linux-gnu/xtables/{file.name}": file for file in sorted(extensions.glob("*.so"))
    }


def _packet_filter_names() -> dict[str, str]:
    names = (f"{family}{suffix}" for family in ("iptables", "ip6tables") for suffix in ("", "-save", "-restore"))
    return {f"/usr/sbin/{name}": "xtables-nft-multi" for name in names}
