"""Which parts each image needs and when it has to be built again."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import toolchain
from lab import lock
from lab.images import assemble, layers, programs, recipe, store
from lab.images.layers import Layer
from lab.images.recipe import FOLDER, MachineImage
from lab.images.workshop import Workshop

# What decides how an image is put together; the parts themselves have keys of their own.
ASSEMBLY = ("assemble.py", "recipe.py")
NODE_ASSEMBLY = (
    "container_archive.py",
    "container_images.py",
    "scripts/container-images-import.sh",
    "scripts/root-run.sh",
)


def ensure(names: Collection[str], progress: Callable[[str], None]) -> dict[str, Path]:
    """The root directory of each of these images, by name."""
    workshop = Workshop(progress)
    images = [recipe.IMAGES[name] for name in names]
    tools = _tools(images)
    with lock.held(store.folder() / ".lock", workshop.say, "another build of the lab's images"):
        store.sweep()
        return {image.name: _image(workshop, image, tools) for image in images}


def prune(in_use: Collection[str], progress: Callable[[str], None]) -> None:
    """Remove what was built from earlier recipes, apart from directories that are in use."""
    names = {name for image in recipe.IMAGES.values() for name in (image.name, *map(layers.name, image.packages))}
    workshop = Workshop(progress)
    with lock.held(store.folder() / ".lock", workshop.say, "another build of the lab's images"):
        for removed in store.prune(names | set(programs.NAMES), in_use):
            workshop.say(f"{removed} is of an earlier recipe and was removed")


def _tools(images: Sequence[MachineImage]) -> dict[str, Path]:
    versions = [image.kubernetes_version for image in images if image.kubernetes_version]
    if not versions:
        return {}
    return toolchain.ensure([*recipe.NODE_TOOLS, *(f"kubernetes-{version}" for version in versions)])


def _image(workshop: Workshop, image: MachineImage, tools: Mapping[str, Path]) -> Path:
    layer = layers.ensure(workshop, image.packages)
    version = image.kubernetes_version
    parts = _parts(workshop, version, layer, tools) if version else {}
    inputs: list[str | Path] = [layer.key, repr(image)]
    inputs += [FOLDER / "files" / name for name in image.files]
    inputs += [FOLDER / name for name in (ASSEMBLY + NODE_ASSEMBLY if version else ASSEMBLY)]
    # The folder of a finished part is named by what it was made from.
    inputs += [(part if part.is_dir() else part.parent).name for part in parts.values()]

    def build(root: Path) -> None:
        assemble.debian(workshop, image, layer.root, root)
        if version:
            assemble.kubernetes(workshop, version, parts, root)

    return workshop.ensure(image.name, store.key_of(inputs), build)


def _parts(workshop: Workshop, version: str, layer: Layer, tools: Mapping[str, Path]) -> dict[str, Path]:
    """What a node of this version is put together from, apart from packages and files."""
    used = {name: tools[name] for name in (*recipe.NODE_TOOLS, f"kubernetes-{version}")}
    return used | {"nfsfuse": programs.nfsfuse(workshop, layer), "hello": programs.hello(workshop)}
