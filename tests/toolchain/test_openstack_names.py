"""The built OpenStack plugin answers to the very names that the pinned SDK sends and reads."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import typing
from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_openstack as openstack
import pytest
from pulumi import _types

from toolchain import cache_root, golang
from toolchain.catalog import HERE, Catalog

RESOURCES = [
    openstack.networking.Network,
    openstack.networking.Subnet,
    openstack.networking.Router,
    openstack.networking.RouterInterface,
    openstack.networking.SecGroup,
    openstack.networking.SecGroupRule,
    openstack.networking.Port,
    openstack.networking.FloatingIp,
    openstack.networking.FloatingIpAssociate,
    openstack.compute.Instance,
    openstack.compute.ServerGroup,
    openstack.compute.Keypair,
    openstack.compute.VolumeAttach,
    openstack.blockstorage.Volume,
    openstack.images.Image,
    openstack.loadbalancer.LoadBalancer,
]
FUNCTIONS = [
    openstack.networking.get_network,
    openstack.networking.get_subnet,
    openstack.networking.get_router,
    openstack.networking.get_sec_group,
    openstack.images.get_image,
    openstack.compute.get_flavor,
]
Properties = dict[str, dict[str, Any]]


@pytest.fixture(scope="session")
def served() -> dict[str, Properties]:
    """Every token of the plugin with its properties, from the same table that the plugin is built from."""
    root = cache_root()
    go = golang.find_go(Catalog.load().go, root)
    answer = subprocess.run(
        [str(go / "bin" / "go"), "run", "./names"],
        cwd=HERE / "modules" / "provider-openstack",
        env=golang.environment(root),
        capture_output=True,
        text=True,
        check=True,
    )
    tokens: dict[str, Properties] = json.loads(answer.stdout)
    return tokens


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: f"{resource.__module__}.{resource.__name__}")
def test_every_input_of_a_resource_has_the_same_name_and_shape(
    resource: type[pulumi.CustomResource], served: dict[str, Properties]
) -> None:
    arguments = getattr(inspect.getmodule(resource), f"{resource.__name__}Args")
    properties = served[resource.pulumi_type]  # type: ignore[attr-defined]
    assert _differences(arguments, properties) == []


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: f"{resource.__module__}.{resource.__name__}")
def test_every_output_of_a_resource_has_the_same_name(
    resource: type[pulumi.CustomResource], served: dict[str, Properties]
) -> None:
    assert _read(resource) - served[resource.pulumi_type].keys() == set()  # type: ignore[attr-defined]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: str(function.__name__))
def test_every_argument_and_result_of_a_function_has_the_same_name(
    function: Any, served: dict[str, Properties]
) -> None:
    source = inspect.getsource(function)
    token = re.search(r"invoke\('([^']+)'", source)
    assert token is not None
    sent = set(re.findall(r"__args__\['(\w+)'\]", source))
    result = getattr(inspect.getmodule(function), token.group(1).rsplit(":", 1)[1].replace("get", "Get", 1) + "Result")
    read = _read(result)
    assert (sent | read) - {"id"} - served[token.group(1)].keys() == set()


def test_secrets_of_an_instance_and_a_key_pair_are_kept_secret(served: dict[str, Properties]) -> None:
    assert served["openstack:compute/instance:Instance"]["adminPass"]["secret"]
    assert served["openstack:compute/keypair:Keypair"]["privateKey"]["secret"]


def _read(output: type) -> set[str]:
    """The names that a class of the SDK reads from what comes back."""
    getters = {name: value.fget for name, value in vars(output).items() if isinstance(value, property)}
    return {str(getattr(getter, "_pulumi_name", name)) for name, getter in getters.items()}


def _differences(arguments: type, properties: Properties, path: str = "") -> list[str]:
    """What the SDK's argument class says and the plugin does not serve, or serves in another shape."""
    found = []
    for name, hint in _types.input_type_types(arguments).items():
        where = f"{path}{name}"
        if name not in properties:
            found.append(f"{where}: not served")
            continue
        served = properties[name]
        if _is_list(hint) != served["list"]:
            found.append(f"{where}: a list on one side only")
        nested = _nested(hint)
        if nested is not None:
            found.extend(_differences(nested, served.get("fields", {}), f"{where}."))
    return found


def _is_list(hint: Any) -> bool:
    return typing.get_origin(hint) in {list, Sequence} or any(map(_is_list, _members(hint)))


def _nested(hint: Any) -> type | None:
    """The argument class inside of a list or a choice, if there is one."""
    if isinstance(hint, type) and _types.is_input_type(hint):
        return hint
    return next((found for inner in typing.get_args(hint) if (found := _nested(inner))), None)


def _members(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) is typing.Union else ()
