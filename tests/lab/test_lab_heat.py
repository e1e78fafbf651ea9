"""Orchestration, which the lab has when it is asked for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openstack
import pytest

from lab.inside import places, supervisor
from lab.inside.units import UNITS
from tests.lab.conftest import UP, Lab
from tests.lab.kubeadm_by_hand import wait_for

pytestmark = pytest.mark.lab

NAME = "made-by-heat"
TEMPLATE = {
    "heat_template_version": "2018-08-31",
    "parameters": {"cidr": {"type": "string"}},
    "resources": {
        "network": {"type": "OS::Neutron::Net", "properties": {"name": NAME}},
        "subnet": {
            "type": "OS::Neutron::Subnet",
            "properties": {"network": {"get_resource": "network"}, "cidr": {"get_param": "cidr"}},
        },
        "server": {
            "type": "OS::Nova::Server",
            "properties": {
                "name": NAME,
                "image": "debian-12",
                "flavor": "m1.small",
                "networks": [{"subnet": {"get_resource": "subnet"}}],
            },
        },
    },
    "outputs": {"address": {"value": {"get_attr": ["server", "first_address"]}}},
}


@pytest.fixture
def stack(lab: Lab, cloud: openstack.connection.Connection) -> Iterator[Any]:
    """A network and a server on it, made by Heat alone."""
    lab(*UP, "--with", "heat")
    heat: Any = cloud.orchestration
    made = heat.create_stack(name=NAME, template=TEMPLATE, parameters={"cidr": "10.60.0.0/24"})
    wait_for(180, "the stack to be made", lambda: heat.get_stack(made.id).status != "CREATE_IN_PROGRESS")
    yield heat.get_stack(made.id)
    heat.delete_stack(made.id)
    wait_for(120, "the stack to be gone", lambda: heat.find_stack(NAME) is None)
    assert cloud.network.find_network(NAME) is None
    assert cloud.compute.find_server(NAME) is None


def test_stack_makes_what_its_template_says_and_takes_it_away(
    stack: Any, cloud: openstack.connection.Connection
) -> None:
    assert stack.status == "CREATE_COMPLETE", stack.status_reason
    (output,) = stack.outputs
    server = cloud.compute.get_server(cloud.compute.find_server(NAME, ignore_missing=False).id)
    assert server.status == "ACTIVE"
    assert [address["addr"] for address in server.addresses[NAME]] == [output["output_value"]]


def test_heat_runs_only_when_it_was_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(places, "FEATURES", tmp_path)

    def wanted() -> set[str]:
        return {process.unit.name for process in supervisor.Supervisor(UNITS).wanted()}

    without = wanted()
    (tmp_path / "heat").touch()
    assert wanted() - without == {"heat", "heat-engine"}
