"""Root directories with nothing but Debian packages, the slow part that images share."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab import root as openstack_root
from lab.images import recipe, store
from lab.images.workshop import SCRIPTS, Workshop


@dataclass(frozen=True, kw_only=True)
class Layer:
    """A finished root directory and the key of all that it was made from."""

    root: Path
    key: str


def name(packages: str) -> str:
    """What the layer of a list of packages is called in the store."""
    return f"layer-{packages}"


def ensure(workshop: Workshop, lists: Sequence[str]) -> Layer:
    """The root with the packages of these lists, the last one on top of the others."""
    *below, last = lists
    packages = recipe.packages(last)
    if not below:
        key = store.key_of([recipe.SUITE, *recipe.DOCUMENTATION, *packages])
        root = workshop.ensure(name(last), key, lambda target: _bootstrap(workshop, target, packages))
        return Layer(root=root, key=key)

    lower = ensure(workshop, below)

    def add_packages(target: Path) -> None:
        workshop.run("copy", ["cp", "--archive", f"{lower.root}/.", target])
        workshop.run(last, [SCRIPTS / "packages-install.sh"], {"ROOT": str(target), "PACKAGES": " ".join(packages)})

    key = store.key_of([lower.key, *packages, SCRIPTS / "packages-install.sh", SCRIPTS / "root-run.sh"])
    return Layer(root=workshop.ensure(name(last), key, add_packages), key=key)


def _bootstrap(workshop: Workshop, target: Path, packages: Sequence[str]) -> None:
    command = [
        "mmdebstrap",
        "--mode=root",
        "--format=directory",
        "--variant=minbase",
        f"--include={','.join(packages)}",
        '--aptopt=APT::Install-Recommends "false"',
        # A half-written root is thrown away, so nothing needs to reach the disk in order.
        "--dpkgopt=force-unsafe-io",
        *(f"--dpkgopt=path-exclude={pattern}" for pattern in recipe.DOCUMENTATION),
        *(f"--aptopt={setting}" for setting in openstack_root.host_apt_settings()),
        f"--essential-hook={openstack_root.NO_SERVICES}",
        '--customize-hook=rm "$1/usr/sbin/policy-rc.d"',
        recipe.SUITE,
        str(target),
        *openstack_root.host_apt_sources(),
    ]
    # Package scripts see this machine's TMPDIR, which the root need not have.
    workshop.run("debian", command, {"DEBIAN_FRONTEND": "noninteractive", "TMPDIR": "/tmp"})
    etc = target / "etc"
    # mmdebstrap takes both from the machine it runs on; a server gets its own when it starts.
    (etc / "resolv.conf").unlink(missing_ok=True)
    (etc / "resolv.conf").touch()
    (etc / "hostname").write_text("localhost\n")
    # Each machine makes its own.
    (etc / "machine-id").write_text("")
    for host_key in (etc / "ssh").glob("ssh_host_*"):
        host_key.unlink()
