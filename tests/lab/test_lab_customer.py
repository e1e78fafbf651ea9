"""The lab's user is an ordinary customer of a cloud: limited by role and by quota."""

from typing import Any

import openstack
import pytest

from tests.lab.site import LabSite

pytestmark = pytest.mark.lab

FORBIDDEN = 403


def refusal(error: openstack.exceptions.HttpException) -> int:
    return int(error.status_code or 0)


def test_customer_creates_no_flavor(cloud: openstack.connection.Connection) -> None:
    with pytest.raises(openstack.exceptions.HttpException) as raised:
        cloud.compute.create_flavor(name="mine", ram=1, vcpus=1, disk=1)
    assert refusal(raised.value) == FORBIDDEN


def test_customer_publishes_no_image(cloud: openstack.connection.Connection) -> None:
    with pytest.raises(openstack.exceptions.HttpException) as raised:
        cloud.image.create_image(name="mine", visibility="public", disk_format="raw", container_format="bare")
    assert refusal(raised.value) == FORBIDDEN


def test_customer_sees_no_other_projects(cloud: openstack.connection.Connection) -> None:
    assert cloud.identity.get("/projects").status_code == FORBIDDEN


def test_customer_sees_no_hypervisors(cloud: openstack.connection.Connection) -> None:
    with pytest.raises(openstack.exceptions.HttpException) as raised:
        list(cloud.compute.hypervisors())
    assert refusal(raised.value) == FORBIDDEN


def test_volume_quota_refuses(cloud: openstack.connection.Connection) -> None:
    with pytest.raises(openstack.exceptions.HttpException, match="(?i)quota"):
        cloud.block_storage.create_volume(name="huge", size=100_000)


def test_network_quota_refuses(cloud: openstack.connection.Connection) -> None:
    made: list[Any] = []
    try:
        free = 20 - len(list(cloud.network.routers()))
        made += [cloud.network.create_router(name=f"quota-{number}") for number in range(free)]
        with pytest.raises(openstack.exceptions.HttpException, match="(?i)quota"):
            cloud.network.create_router(name="one-too-many")
    finally:
        for router in made:
            cloud.network.delete_router(router)


def test_instance_quota_refuses(site: LabSite, cloud: openstack.connection.Connection) -> None:
    network = cloud.network.find_network(site._name, ignore_missing=False)
    with pytest.raises(openstack.exceptions.HttpException, match="(?i)quota"):
        cloud.compute.create_server(
            name="too-many",
            image_id=cloud.image.find_image("debian-12", ignore_missing=False).id,
            flavor_id=cloud.compute.find_flavor("m1.small", ignore_missing=False).id,
            networks=[{"uuid": network.id}],
            min_count=41,
            max_count=41,
        )
