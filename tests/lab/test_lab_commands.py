"""What a person types: the lab's commands on a lab that runs."""

import json
import os
import sys

import pytest

from lab import paths
from tests.lab.conftest import Lab

pytestmark = pytest.mark.lab

SHOW_CLOUD = "import os; print(os.environ['OS_CLOUD'], os.getcwd(), os.getuid())"


def test_status_names_every_part_for_people_and_for_programs(lab: Lab) -> None:
    parts = json.loads(lab("status", "--json").stdout)["units"]
    assert {"keystone", "neutron-l3", "nova-compute", "cinder-volume"} <= parts.keys()
    first, *lines = lab("status").stdout.splitlines()
    assert first == "ready"
    assert {line.split()[0] for line in lines} == {name for name, part in parts.items() if part["kind"] == "service"}


def test_doctor_finds_nothing_broken(lab: Lab) -> None:
    report = lab("doctor").stdout.splitlines()
    assert report
    assert [line for line in report if not line.startswith("ok ")] == []


def test_log_of_a_part_is_shown(lab: Lab) -> None:
    shown = lab("logs", "nova-compute").stdout.splitlines()
    assert shown[-1] in (paths.logs() / "nova-compute.log").read_text().splitlines()


def test_log_of_an_unknown_part_is_refused_with_the_known_ones(lab: Lab) -> None:
    done = lab("logs", "toaster", check=False)
    assert done.returncode == 2
    assert "keystone" in done.stderr


def test_exec_keeps_directory_and_user_and_names_the_cloud(lab: Lab) -> None:
    said = lab("exec", sys.executable, "-c", SHOW_CLOUD).stdout.split()
    assert said == ["lab", os.getcwd(), str(os.getuid())]


def test_exec_ends_as_its_program_ends(lab: Lab) -> None:
    assert lab("exec", "sh", "-c", "exit 42", check=False).returncode == 42


def test_exec_without_a_program_says_what_to_name(lab: Lab) -> None:
    done = lab("exec", check=False)
    assert done.returncode == 1
    assert "for example: bin/lab exec pulumi up" in done.stderr


def test_client_is_the_customers_unless_the_operators_is_asked_for(lab: Lab) -> None:
    as_customer = lab("openstack", "flavor", "list", "-f", "json")
    assert {flavor["Name"] for flavor in json.loads(as_customer.stdout)} == {"m1.small", "m1.medium", "m1.large"}
    assert lab("openstack", "hypervisor", "list", check=False).returncode != 0
    as_operator = lab("openstack", "--admin", "hypervisor", "list", "-f", "json")
    assert len(json.loads(as_operator.stdout)) == 3
