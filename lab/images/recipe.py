"""What is in the lab's machine images: names and lists, no actions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SUITE = "bookworm"
LOGIN_USER = "debian"

PAUSE_TAG = "3.10.1"
ETCD_TAG = "3.6.5-0"
COREDNS_TAG = "v1.12.4"
FLANNEL_TAG = "v0.27.4"
FLANNEL_PLUGIN_TAG = "v1.8.0-flannel1"
HELLO = "nodewright.lab/hello:v1"

# Toolchain items that a node is made of, beside the Kubernetes version itself.
NODE_TOOLS = ("etcd", "coredns", "cni-plugins", "flannel")

DOCUMENTATION = ("/usr/share/man/*", "/usr/share/doc/*")

# A machine is a set of namespaces: hardware, the kernel's modules and its own file systems are not its business.
MASKED_UNITS = (
    "apt-daily-upgrade.timer",
    "apt-daily.timer",
    "console-getty.service",
    "dev-hugepages.mount",
    "dev-mqueue.mount",
    "dpkg-db-backup.timer",
    "e2scrub_all.timer",
    "e2scrub_reap.service",
    "fstrim.timer",
    "getty.target",
    "kmod-static-nodes.service",
    "modprobe@.service",
    "proc-sys-fs-binfmt_misc.automount",
    "sys-fs-fuse-connections.mount",
    "sys-kernel-config.mount",
    "sys-kernel-debug.mount",
    "sys-kernel-tracing.mount",
    "systemd-logind.service",
    "systemd-modules-load.service",
    "systemd-networkd.service",
    "systemd-pstore.service",
    "systemd-remount-fs.service",
    "systemd-timesyncd.service",
    "systemd-udev-trigger.service",
    "systemd-udevd-control.socket",
    "systemd-udevd-kernel.socket",
    "systemd-udevd.service",
)
# The same for the kernel's NFS client and server.
MASKED_NODE_UNITS = (
    "auth-rpcgss-module.service",
    "nfs-blkmap.service",
    "nfs-client.target",
    "proc-fs-nfsd.mount",
    "run-rpc_pipefs.mount",
)
# Installed for the roles that need them, which enable them.
DISABLED_NODE_UNITS = (
    "docker-registry.service",
    "haproxy.service",
    "keepalived.service",
    "nfs-ganesha-lock.service",
    "nfs-ganesha.service",
    "rpc-statd-notify.service",
    "rpcbind.service",
    "rpcbind.socket",
)


@dataclass(frozen=True, kw_only=True)
class MachineImage:
    """One image of the lab's Glance: packages, files that mirror `/`, and the state of units."""

    name: str
    packages: tuple[str, ...]  # lists in packages/, each a layer on the one before
    files: tuple[str, ...]  # folders of files/, copied in this order
    masked_units: tuple[str, ...]
    disabled_units: tuple[str, ...] = ()
    enabled_units: tuple[str, ...]
    kubernetes_version: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)  # what /etc/nodewright-image says


DEBIAN = MachineImage(
    name="debian-12",
    packages=("debian",),
    files=("debian",),
    masked_units=MASKED_UNITS,
    enabled_units=("ssh.service",),
    facts={"IMAGE": "debian-12"},
)


def _node(kubernetes_version: str) -> MachineImage:
    name = f"node-{kubernetes_version}"
    return MachineImage(
        name=name,
        packages=("debian", "node"),
        files=("debian", "node"),
        masked_units=MASKED_UNITS + MASKED_NODE_UNITS,
        disabled_units=DISABLED_NODE_UNITS,
        enabled_units=("ssh.service", "containerd.service", "kubelet.service"),
        kubernetes_version=kubernetes_version,
        facts={"IMAGE": name, "KUBERNETES_VERSION": kubernetes_version},
    )


IMAGES = {image.name: image for image in (DEBIAN, _node("1.34.3"), _node("1.34.5"))}


def packages(name: str) -> tuple[str, ...]:
    """The Debian packages of one list."""
    lines = (FOLDER / "packages" / f"{name}.txt").read_text().splitlines()
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
