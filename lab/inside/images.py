"""Glance images for the root directories that the host has built: stubs that the lab's hypervisor understands.

The host writes the wanted ones as `{"debian-12": "<name of a directory below /var/lib/lab-images>", …}`.
"""

import json
from typing import Any

from lab.inside import places
from lab.inside.accounts import connect

PROPERTIES = {"os_distro": "debian", "os_version": "12", "os_type": "linux", "architecture": "x86_64"}


def publish(images: Any, name: str, directory: str) -> None:
    """One active image for each name. An older one steps aside for the new one; servers made from it live on."""
    present = list(images.images(name=name, visibility="public"))
    fitting = [image for image in present if image.status == "active" and stands_for(image) == directory]
    if not fitting:
        images.create_image(
            name=name,
            data=f"#labroot {places.IMAGES}/{directory}\n".encode(),
            disk_format="raw",
            container_format="bare",
            visibility="public",
            wait=True,
            allow_duplicates=True,
            lab_directory=directory,
            **PROPERTIES,
        )
    for image in present:
        if image not in fitting[:1]:
            images.delete_image(image)


def stands_for(image: Any) -> str:
    return str(image.properties.get("lab_directory", ""))


def main() -> None:
    wanted = json.loads(places.IMAGES_WANTED.read_text()) if places.IMAGES_WANTED.exists() else {}
    cloud = connect("admin", "admin")
    for name, directory in wanted.items():
        publish(cloud.image, name, directory)


if __name__ == "__main__":
    main()
