"""What went wrong is said in a few lines, whatever the engine makes of it."""

import pytest

from lifecycle.complaints import HOW_TO_GET_IN, said
from lifecycle.errors import Exit

LOOKUP = "openstack:networking/getNetwork:getNetwork"
UNREACHED = f"""\
error: Program failed with an unhandled exception:
Traceback (most recent call last):
  File "/venv/pulumi/runtime/rpc_manager.py", line 73, in rpc_wrapper
    result = await rpc
             ^^^^^^^^^
Exception: invoke of {LOOKUP} failed: invocation of {LOOKUP} returned an error: invoking {LOOKUP}: 1 error occurred:
\t* Error creating OpenStack networking client: dial tcp 127.0.0.1:9: connect: connection refused



The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/engine/pulumi-language-python-exec", line 232, in <module>
    loop.run_until_complete(coro)
Exception: invoke of {LOOKUP} failed: invocation of {LOOKUP} returned an error: invoking {LOOKUP}: 1 error occurred:
\t* Error creating OpenStack networking client: dial tcp 127.0.0.1:9: connect: connection refused
"""


def test_a_cloud_that_is_not_reached_is_said_in_three_lines() -> None:
    error = said("previewing the change", UNREACHED)
    assert error.code is Exit.NO_ACCESS
    assert str(error).splitlines() == [
        "previewing the change:",
        f"  looking up {LOOKUP}:",
        "  Error creating OpenStack networking client: dial tcp 127.0.0.1:9: connect: connection refused",
        f"  {HOW_TO_GET_IN}",
    ]


def test_a_fault_of_the_program_keeps_the_place_where_it_came_up() -> None:
    told = (
        "Program failed with an unhandled exception:\nTraceback (most recent call last):\n"
        '  File "/project/__main__.py", line 8, in <module>\n    exports()\n'
        '  File "/project/cluster/build.py", line 69, in __init__\n    self._texts = Texts()\n'
        "NameError: name 'Texts' is not defined\n"
    )
    error = said("previewing the change", told)
    assert error.code is Exit.FAILED
    assert str(error).splitlines()[1:] == [
        "  NameError: name 'Texts' is not defined (File \"/project/cluster/build.py\", line 69, in __init__)"
    ]


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ("error: reading nodewright:cluster: 2 faults; nothing was changed", Exit.USAGE),
        ("planning the change: refused, nothing was changed\n  control-plane.count: was 3", Exit.REFUSED),
        ("error: incorrect passphrase", Exit.NO_ACCESS),
        ("Expected HTTP response code [201 202], but got 401 instead", Exit.NO_ACCESS),
        ("worker-1-ready: dial tcp 10.20.0.7:22: connect: connection refused", Exit.FAILED),
        ("worker-1-ready: dial tcp 10.20.0.7:22: i/o timeout\nGET http://c/v2.1: connection refused", Exit.NO_ACCESS),
        ("1 error occurred: worker-1 did not come up", Exit.FAILED),
    ],
)
def test_what_was_told_decides_the_exit_code(told: str, code: Exit) -> None:
    assert said("bringing it up", told).code is code


def test_a_server_that_the_cloud_gave_up_leads_to_its_fault() -> None:
    told = (
        "  openstack:compute:Instance (worker-3):\n"
        "    error: 1 error occurred:\n"
        "    \t* Error waiting for instance (cdb8) to become ready: "
        "unexpected state 'ERROR', wanted target 'ACTIVE'. last error: %!s(<nil>)\n"
    )
    error = said("creating", told)
    assert error.code is Exit.FAILED
    assert "openstack server show cdb8 -c fault; the next run makes it anew" in str(error)
