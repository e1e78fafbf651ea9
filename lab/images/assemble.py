"""A machine image from its parts: packages, files, programs, units, container images, in this order."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from lab.images import container_images, recipe
from lab.images.container_archive import write_archive
from lab.images.recipe import FOLDER, MachineImage
from lab.images.workshop import SCRIPTS, Workshop

# Where a root differs from its layer. The rest is shared by hard links: nothing there may be written in place.
OWN_FOLDERS = ("etc", "home", "var")


def debian(workshop: Workshop, image: MachineImage, layer: Path, root: Path) -> None:
    """What each image is: a layer, files that mirror `/`, a login user, and units that fit a machine of the lab."""
    for folder in sorted(layer.iterdir()):
        how = "--archive" if folder.name in OWN_FOLDERS else "-al"
        workshop.run("copy", ["cp", how, folder, root])
    for name in image.files:
        _copy_files(FOLDER / "files" / name, root)
    facts = "".join(f"{word}={value}\n" for word, value in image.facts.items())
    (root / "etc/nodewright-image").write_text(facts)
    inside = ["chroot", str(root)]
    workshop.run("user", [*inside, "useradd", "--create-home", "--shell", "/bin/bash", recipe.LOGIN_USER])
    workshop.run("units", [*inside, "systemctl", "set-default", "multi-user.target"])
    for verb, units in (
        ("mask", image.masked_units),
        ("disable", image.disabled_units),
        ("enable", image.enabled_units),
    ):
        if units:
            workshop.run("units", [*inside, "systemctl", verb, *units])


def kubernetes(workshop: Workshop, version: str, tools: Mapping[str, Path], root: Path) -> None:
    """What makes a root a node: programs on the machine, and all that its pods start from."""
    _install_programs(version, tools, root)
    _import_container_images(workshop, version, tools, root)


def _install_programs(version: str, tools: Mapping[str, Path], root: Path) -> None:
    kubernetes_folder = tools[f"kubernetes-{version}"] / "bin"
    programs = {
        **{f"usr/bin/{name}": kubernetes_folder / name for name in ("kubeadm", "kubectl", "kubelet")},
        **{f"opt/cni/bin/{plugin.name}": plugin for plugin in (tools["cni-plugins"] / "bin").iterdir()},
        "usr/bin/etcdctl": tools["etcd"] / "bin/etcdctl",
        "usr/libexec/nfsfuse": tools["nfsfuse"],
    }
    for path, source in programs.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(0o755)
    for folder in ("etc/cni/net.d", "etc/containerd/certs.d", "etc/kubernetes/manifests"):
        (root / folder).mkdir(parents=True, exist_ok=True)


def _import_container_images(workshop: Workshop, version: str, tools: Mapping[str, Path], root: Path) -> None:
    archives = root / "var/tmp/container-images"
    archives.mkdir()
    names: list[str] = []
    for image in container_images.for_node(version, tools, root):
        names.append(f"{len(names):02}.tar")
        write_archive(image, archives / names[-1])
    script = SCRIPTS / "container-images-import.sh"
    shutil.copy(script, archives)
    inside = Path("/") / archives.relative_to(root)
    workshop.run(
        f"container-images-{version}",
        [SCRIPTS / "root-run.sh", inside / script.name, *(inside / name for name in names)],
        {"ROOT": str(root)},
    )
    shutil.rmtree(archives)


def _copy_files(source: Path, root: Path) -> None:
    """Copy a tree that mirrors `/`; each file is a new one, as the one it replaces may belong to other roots, too."""
    for path in sorted(source.rglob("*")):
        target = root / path.relative_to(source)
        if path.is_dir() and not path.is_symlink():
            target.mkdir(exist_ok=True)
            continue
        target.unlink(missing_ok=True)
        if path.is_symlink():
            target.symlink_to(path.readlink())
        else:
            shutil.copyfile(path, target)
            target.chmod(0o755 if os.access(path, os.X_OK) else 0o644)
