"""Finding in the cloud what a stack names: users give names or ids, resources want ids."""

from __future__ import annotations

from uuid import UUID

import pulumi
from pulumi_openstack import images, networking


def is_uuid(name_or_id: str) -> bool:
    try:
        return str(UUID(name_or_id)) == name_or_id.lower()
    except ValueError:
        return False


def find_network(name_or_id: str, parent: pulumi.Resource) -> pulumi.Output[str]:
    if is_uuid(name_or_id):
        return pulumi.Output.from_input(name_or_id)
    return networking.get_network_output(name=name_or_id, opts=pulumi.InvokeOptions(parent=parent)).id


def find_subnet(name_or_id: str, network_id: pulumi.Input[str], parent: pulumi.Resource) -> pulumi.Output[str]:
    if is_uuid(name_or_id):
        return pulumi.Output.from_input(name_or_id)
    found = networking.get_subnet_output(
        name=name_or_id, network_id=network_id, opts=pulumi.InvokeOptions(parent=parent)
    )
    return found.id


def find_image(name_or_id: str) -> pulumi.Output[str]:
    if is_uuid(name_or_id):
        return pulumi.Output.from_input(name_or_id)
    return images.get_image_output(name=name_or_id, most_recent=True).id
