"""A signed apt repository made on the spot, with packages that only say their version."""

import functools
import http.server
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAMS = {
    "kubelet": 'echo "Kubernetes v{version}"',
    "kubeadm": 'case $1 in version) echo "v{version}" ;; config) echo registry.k8s.io/pause:9.9 ;; esac',
    "kubectl": "echo v{version}",
    "containerd": "echo containerd",
    "runc": "echo runc",
}


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Says nothing: the test reads apt's own words."""


def _package(folder: Path, name: str, version: str) -> None:
    root = folder / f"{name}-{version}"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "usr/bin").mkdir(parents=True)
    (root / "DEBIAN/control").write_text(
        f"Package: {name}\nVersion: {version}-1.1\nArchitecture: all\nMaintainer: A Test <a@b.c>\n"
        "Description: says its version\n"
    )
    program = root / "usr/bin" / name
    program.write_text(f"#!/bin/sh\n{PROGRAMS[name].format(version=version)}\n")
    program.chmod(0o755)
    subprocess.run(["dpkg-deb", "--build", str(root), str(folder)], check=True, capture_output=True)
    subprocess.run(["rm", "-r", str(root)], check=True)


def _sign(folder: Path, home: Path) -> None:
    home.mkdir(mode=0o700)
    gpg = ["gpg", "--homedir", str(home), "--batch", "--quiet", "--yes"]
    subprocess.run(
        [*gpg, "--passphrase", "", "--quick-generate-key", "test@example.org"], check=True, capture_output=True
    )
    packages = subprocess.run(
        ["dpkg-scanpackages", "--multiversion", "."], cwd=folder, check=True, capture_output=True, text=True
    ).stdout
    (folder / "Packages").write_text(packages)
    digest = subprocess.run(["sha256sum", "Packages"], cwd=folder, check=True, capture_output=True, text=True).stdout
    size = (folder / "Packages").stat().st_size
    (folder / "Release").write_text(f"SHA256:\n {digest.split()[0]} {size} Packages\n")
    subprocess.run([*gpg, "--clearsign", "--output", "InRelease", "Release"], cwd=folder, check=True)
    with (folder / "Release.key").open("wb") as key:
        subprocess.run([*gpg, "--armor", "--export"], stdout=key, check=True)
    subprocess.run(["gpgconf", "--homedir", str(home), "--kill", "all"], check=True)


@contextmanager
def serve(folder: Path, versions: tuple[str, ...]) -> Iterator[str]:
    """The repository's URL, for as long as the test needs it."""
    repository = folder / "repository"
    repository.mkdir()
    for name in PROGRAMS:
        for version in versions:
            _package(repository, name, version)
    _sign(repository, folder / "gnupg")
    handler = functools.partial(_Quiet, directory=str(repository))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()
