"""Machine images as root directories: Debian packages, then files, programs, unit states, container images."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

import toolchain
from lab import lock, paths
from lab import root as openstack_root
from lab.errors import LabError
from lab.images import container_images, recipe, store
from lab.images.container_archive import write_archive
from lab.images.recipe import FOLDER, MachineImage

SCRIPTS = FOLDER / "scripts"
NFSFUSE = FOLDER / "nfsfuse/nfsfuse.c"
HELLO = FOLDER / "hello"
HOST_PROGRAMS = {"mmdebstrap": "mmdebstrap", "unshare": "util-linux", "mount": "mount"}
# Where a root differs from its layer. The rest is shared by hard links, so nothing else may be written in place.
OWN_FOLDERS = ("etc", "var")


class Builder:
    """One call: the images that are wanted, and how to tell the person who waits."""

    def __init__(self, progress: Callable[[str], None]) -> None:
        self._started = time.monotonic()
        self._progress = progress
        self._logs = paths.cache() / "logs"

    def say(self, text: str) -> None:
        self._progress(f"[{time.monotonic() - self._started:6.1f} s] images: {text}")

    def ensure(self, names: Collection[str]) -> dict[str, Path]:
        images = [recipe.IMAGES[name] for name in names]
        tools = self._tools(images)
        with lock.held(store.folder() / ".lock", self.say, "another build of the lab's images"):
            return {image.name: self._image(image, tools) for image in images}

    # ---- what images are made of

    def _tools(self, images: Sequence[MachineImage]) -> Mapping[str, Path]:
        versions = [image.kubernetes_version for image in images if image.kubernetes_version]
        if not versions:
            return {}
        return toolchain.ensure([*recipe.NODE_TOOLS, *(f"kubernetes-{version}" for version in versions)])

    def _layer(self, lists: Sequence[str]) -> tuple[Path, str]:
        """The root directory with the packages of these lists, and its key."""
        *below, last = lists
        packages = recipe.packages(last)
        if below:
            lower, lower_key = self._layer(below)
            inputs = [lower_key, *packages, SCRIPTS / "packages-install.sh", SCRIPTS / "root-run.sh"]
        else:
            lower = None
            inputs = [recipe.SUITE, *recipe.DOCUMENTATION, *packages]
        key = store.key_of(inputs)

        def build(target: Path) -> None:
            if lower is None:
                self._bootstrap(target, packages)
            else:
                _run_logged(["cp", "--archive", f"{lower}/.", str(target)], self._logs / "images-copy.log", {})
                self._install(target, last, packages)

        return self._ensure(f"layer-{last}", key, build), key

    def _bootstrap(self, target: Path, packages: Sequence[str]) -> None:
        self._check_host()
        settings = [f"--aptopt={setting}" for setting in openstack_root.host_apt_settings()]
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
            *settings,
            f"--essential-hook={openstack_root.NO_SERVICES}",
            '--customize-hook=rm "$1/usr/sbin/policy-rc.d"',
            recipe.SUITE,
            str(target),
            *openstack_root.host_apt_sources(),
        ]
        # Package scripts see the builder's temporary directory; the root has only /tmp.
        _run_logged(command, self._logs / "images-debian.log", {"DEBIAN_FRONTEND": "noninteractive", "TMPDIR": "/tmp"})
        # mmdebstrap takes both from the machine it runs on; a server gets its own when it starts.
        (target / "etc/resolv.conf").unlink(missing_ok=True)
        (target / "etc/resolv.conf").touch()
        (target / "etc/hostname").write_text("localhost\n")
        # Each machine makes its own.
        (target / "etc/machine-id").write_text("")
        for host_key in (target / "etc/ssh").glob("ssh_host_*"):
            host_key.unlink()

    def _install(self, target: Path, name: str, packages: Sequence[str]) -> None:
        _run_logged(
            [str(SCRIPTS / "packages-install.sh")],
            self._logs / f"images-{name}.log",
            {"ROOT": str(target), "PACKAGES": " ".join(packages)},
        )

    def _nfsfuse(self, layer: Path, layer_key: str) -> Path:
        packages = recipe.packages("compiler")
        script = SCRIPTS / "nfsfuse-compile.sh"

        def build(target: Path) -> None:
            with _scratch() as scratch:
                _run_logged(
                    [str(script)],
                    self._logs / "images-nfsfuse.log",
                    {
                        "LOWER": str(layer),
                        "SCRATCH": str(scratch),
                        "SOURCE": str(NFSFUSE),
                        "PACKAGES": " ".join(packages),
                        "TARGET": str(target / "nfsfuse"),
                    },
                )

        key = store.key_of([layer_key, *packages, NFSFUSE, script])
        return self._ensure("nfsfuse", key, build) / "nfsfuse"

    def _hello(self, go: Path) -> Path:
        def build(target: Path) -> None:
            _run_logged(
                [str(go / "bin/go"), "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", str(target), "."],
                self._logs / "images-hello.log",
                toolchain.environment() | {"CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": ""},
                folder=HELLO,
            )

        return self._ensure("hello", store.key_of([go.name, HELLO]), build) / "hello"

    # ---- one image

    def _image(self, image: MachineImage, tools: Mapping[str, Path]) -> Path:
        layer, layer_key = self._layer(image.packages)
        inputs: list[str | Path] = [
            layer_key,
            repr(image),
            *(FOLDER / "files" / name for name in image.files),
            FOLDER / "build.py",
        ]
        if image.kubernetes_version is None:
            return self._ensure(image.name, store.key_of(inputs), lambda root: self._assemble(image, layer, root))

        nfsfuse = self._nfsfuse(layer, layer_key)
        hello = self._hello(tools["go"])
        kubernetes = tools[f"kubernetes-{image.kubernetes_version}"]
        parts = [nfsfuse.parent, hello.parent, kubernetes, *(tools[name] for name in recipe.NODE_TOOLS)]
        inputs += [part.name for part in parts]  # finished directories, whose names carry a key of their own
        inputs += [FOLDER / name for name in ("container_archive.py", "container_images.py", "recipe.py")]
        inputs += [SCRIPTS / "container-images-import.sh"]

        def build(root: Path) -> None:
            self._assemble(image, layer, root)
            _install_programs(root, kubernetes, tools, nfsfuse)
            self._import_container_images(image.kubernetes_version or "", root, tools, hello)

        return self._ensure(image.name, store.key_of(inputs), build)

    def _assemble(self, image: MachineImage, layer: Path, root: Path) -> None:
        for folder in sorted(layer.iterdir()):
            how = "--archive" if folder.name in OWN_FOLDERS else "-al"
            _run_logged(["cp", how, str(folder), str(root)], self._logs / "images-copy.log", {})
        for name in image.files:
            _copy_files(FOLDER / "files" / name, root)
        facts = "".join(f"{word}={value}\n" for word, value in image.facts.items())
        (root / "etc/nodewright-image").write_text(facts)
        log = self._logs / f"images-{image.name}.log"
        _run_logged(
            ["chroot", str(root), "useradd", "--create-home", "--shell", "/bin/bash", recipe.LOGIN_USER], log, {}
        )
        systemctl = ["chroot", str(root), "systemctl"]
        _run_logged([*systemctl, "set-default", "multi-user.target"], log, {})
        for verb, units in (
            ("mask", image.masked_units),
            ("disable", image.disabled_units),
            ("enable", image.enabled_units),
        ):
            if units:
                _run_logged([*systemctl, verb, *units], log, {})

    def _import_container_images(
        self, version: str, root: Path, tools: Mapping[str, Path], hello: Path
    ) -> None:
        shutil.rmtree(root / "var/lib/containerd", ignore_errors=True)
        archives = root / "var/tmp/container-images"
        archives.mkdir()
        images = container_images.for_node(version, root, tools, hello)
        names = [f"{number:02}.tar" for number, _ in enumerate(images)]
        for image, name in zip(images, names, strict=True):
            write_archive(image, archives / name)
        script = SCRIPTS / "container-images-import.sh"
        shutil.copy(script, archives / script.name)
        inside = f"/{archives.relative_to(root)}"
        _run_logged(
            [str(SCRIPTS / "root-run.sh"), f"{inside}/{script.name}", *(f"{inside}/{name}" for name in names)],
            self._logs / f"images-container-images-{version}.log",
            {"ROOT": str(root)},
        )
        shutil.rmtree(archives)

    # ---- around each step

    def _ensure(self, name: str, key: str, build: Callable[[Path], None]) -> Path:
        def timed(target: Path) -> None:
            self._check_root()
            self.say(f"building {name}")
            started = time.monotonic()
            build(target)
            self.say(f"{name} is built ({time.monotonic() - started:.1f} s)")

        return store.ensure(name, key, timed)

    def _check_root(self) -> None:
        if os.geteuid() != 0:
            message = "building the lab's images: files of other users are made; run it as root"
            raise LabError(message)

    def _check_host(self) -> None:
        missing = sorted({package for program, package in HOST_PROGRAMS.items() if shutil.which(program) is None})
        if missing:
            message = (
                f"building the lab's images: {', '.join(missing)} not installed; "
                f"run: apt-get install {' '.join(missing)}"
            )
            raise LabError(message)


def _install_programs(root: Path, kubernetes: Path, tools: Mapping[str, Path], nfsfuse: Path) -> None:
    programs = {
        **{f"usr/bin/{name}": kubernetes / "bin" / name for name in ("kubeadm", "kubectl", "kubelet")},
        **{f"opt/cni/bin/{plugin.name}": plugin for plugin in (tools["cni-plugins"] / "bin").iterdir()},
        "usr/bin/etcdctl": tools["etcd"] / "bin/etcdctl",
        "usr/libexec/nfsfuse": nfsfuse,
    }
    for path, source in programs.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(0o755)
    for folder in ("etc/cni/net.d", "etc/containerd/certs.d", "etc/kubernetes/manifests"):
        (root / folder).mkdir(parents=True, exist_ok=True)


def _copy_files(source: Path, root: Path) -> None:
    """Copy a tree that mirrors `/`; each file is new, as the one it replaces may be shared with other roots."""
    for path in sorted(source.rglob("*")):
        target = root / path.relative_to(source)
        if path.is_dir():
            target.mkdir(exist_ok=True)
            continue
        target.unlink(missing_ok=True)
        if path.is_symlink():
            target.symlink_to(path.readlink())
        else:
            shutil.copyfile(path, target)
            target.chmod(0o755 if os.access(path, os.X_OK) else 0o644)


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="scratch-", dir=store.folder()) as folder:
        yield Path(folder)


def _run_logged(
    command: Sequence[str], log: Path, environment: Mapping[str, str], folder: Path | None = None
) -> None:
    """Run a step of the build; when it fails, say which, show its last words and where all of them are."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as output:
        done = subprocess.run(  # noqa: S603 (the recipe's own commands)
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=os.environ | environment,
            cwd=folder,
            check=False,
        )
    if done.returncode != 0:
        words = " | ".join(log.read_text(errors="replace").strip().splitlines()[-3:])
        step = Path(command[0]).name
        message = f"building the lab's images: {step} failed with status {done.returncode}: {words}; whole log: {log}"
        raise LabError(message)
