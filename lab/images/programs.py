"""The two programs that images carry and that are compiled here: nfsfuse for the node, hello for its pods."""

from pathlib import Path

from lab.images import recipe, store
from lab.images.layers import Layer
from lab.images.recipe import FOLDER
from lab.images.workshop import SCRIPTS, Workshop
from toolchain import golang
from toolchain.supply import Supply

NFSFUSE = FOLDER / "nfsfuse/nfsfuse.c"
HELLO = FOLDER / "hello"
NAMES = ("nfsfuse", "hello")


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


def hello(workshop: Workshop) -> Path:
    """Compiled by the toolchain's Go, without a C library."""
    supply = Supply.usual()
    go = golang.find_go(supply.catalog.go, supply.root) / "bin/go"

    def compile_it(target: Path) -> None:
        workshop.run(
            "hello",
            [go, "build", "-ldflags=-s -w", "-o", target / "hello", "."],
            golang.environment(supply.root),
            folder=HELLO,
        )

    return workshop.ensure("hello", store.key_of([golang.version_of(go), HELLO]), compile_it) / "hello"
