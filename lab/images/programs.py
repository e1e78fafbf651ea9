"""The two programs that images carry and that are compiled here: nfsfuse for the node, hello for its pods."""

from pathlib import Path

import toolchain
from lab.images import recipe, store
from lab.images.layers import Layer
from lab.images.recipe import FOLDER
from lab.images.workshop import SCRIPTS, Workshop

NFSFUSE = FOLDER / "nfsfuse/nfsfuse.c"
HELLO = FOLDER / "hello"


def nfsfuse(workshop: Workshop, node: Layer) -> Path:
    """Compiled against the libraries that the node has."""
    packages = recipe.packages("compiler")
    script = SCRIPTS / "nfsfuse-compile.sh"

    def compile_it(target: Path) -> None:
        with workshop.scratch() as scratch:
            workshop.run(
                "nfsfuse",
                [script],
                {
                    "LOWER": str(node.root),
                    "SCRATCH": str(scratch),
                    "SOURCE": str(NFSFUSE),
                    "PACKAGES": " ".join(packages),
                    "TARGET": str(target / "nfsfuse"),
                },
            )

    key = store.key_of([node.key, *packages, NFSFUSE, script])
    return workshop.ensure("nfsfuse", key, compile_it) / "nfsfuse"


def hello(workshop: Workshop, go: Path) -> Path:
    """Compiled by the toolchain's Go, without a C library."""

    def compile_it(target: Path) -> None:
        workshop.run(
            "hello",
            [go / "bin/go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", target / "hello", "."],
            toolchain.environment() | {"CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": ""},
            folder=HELLO,
        )

    return workshop.ensure("hello", store.key_of([go.name, HELLO]), compile_it) / "hello"
