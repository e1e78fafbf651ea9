"""What the cloud offers after the host has built other root directories."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from lab.inside.images import publish


class Glance:
    """Images by name; notes the order of what is done to it."""

    def __init__(self, *directories: str, status: str = "active") -> None:
        self.present = [self.image(directory, status) for directory in directories]
        self.done: list[str] = []

    @staticmethod
    def image(directory: str, status: str = "active") -> Any:
        return SimpleNamespace(status=status, properties={"lab_directory": directory})

    def images(self, **_: str) -> Iterator[Any]:
        return iter(self.present)

    def create_image(self, *, lab_directory: str, data: bytes, **_: object) -> None:
        assert data == f"#labroot /var/lib/lab-images/{lab_directory}\n".encode()
        self.done.append(f"create {lab_directory}")

    def delete_image(self, image: Any) -> None:
        self.done.append(f"delete {image.properties['lab_directory']}")


def published(glance: Glance) -> list[str]:
    publish(glance, "debian-12", "debian-12-new")
    return glance.done


def test_image_that_is_there_stays_as_it_is() -> None:
    assert published(Glance("debian-12-new")) == []


def test_older_image_goes_when_the_new_one_is_there() -> None:
    assert published(Glance("debian-12-old")) == ["create debian-12-new", "delete debian-12-old"]


def test_what_an_interrupted_call_left_goes() -> None:
    assert published(Glance("debian-12-old", "debian-12-new")) == ["delete debian-12-old"]
    assert published(Glance("debian-12-new", status="queued")) == ["create debian-12-new", "delete debian-12-new"]
