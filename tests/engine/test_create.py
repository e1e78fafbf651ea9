"""What a first `up` does, and that a second one does nothing."""

import pytest

from tests.engine.clusters import cluster
from tests.engine.harness import SECRET, Stack

pytestmark = pytest.mark.engine


def test_a_cluster_comes_up_in_the_right_order_and_a_second_up_changes_nothing(stack: Stack) -> None:
    created = stack.up(cluster())

    assert created.ok, created.output
    assert created.in_order(
        "create Port control-plane-0",
        "create Instance control-plane-0",
        "create control-plane-0-ready",
        "create control-plane-0-state-mount",
        "create control-plane-init",
        "create control-plane-0-restore",
        "create worker-1-ticket",
        "create worker-1-join",
        "create worker-1-member",
    )
    assert created.in_order("create load-balancer-configure", "create control-plane-init")

    again = stack.up(cluster())

    assert again.ok, again.output
    assert again.steps == []
    assert "unchanged" in again.output


def test_machines_boot_and_workers_join_all_at_once(stack: Stack) -> None:
    stack.let_meet({r"create Instance .*": 8, r"create worker-\d-join": 6})

    created = stack.up(cluster(workers={"count": 6}))

    assert created.ok, created.output


def test_three_masters_join_one_after_another_while_workers_join(stack: Stack) -> None:
    created = stack.up(cluster(count=3))

    assert created.ok, created.output
    assert created.in_order(
        "create control-plane-init",
        "create control-plane-1-ticket",
        "create control-plane-1-join",
        "create control-plane-1-member",
        "create control-plane-2-ticket",
        "create control-plane-2-join",
        "create control-plane-2-member",
        # The founder is a member already; it takes its place among the others when they have joined.
        "create control-plane-0-ticket",
        "create control-plane-0-join",
        "create control-plane-0-member",
        "create control-plane-addons",
    )
    assert created.find("create worker-0-join").began < created.find("create control-plane-2-join").began

    assert stack.up(cluster(count=3)).steps == []


def test_a_preview_of_an_existing_stack_reads_what_it_exported(stack: Stack) -> None:
    stack.stands(cluster())

    refused = stack.preview(cluster(name="other"))

    assert not refused.ok
    assert "name: is fixed when a cluster is born" in refused.output
    assert "Traceback" not in refused.output


def test_every_fault_of_a_config_is_said_before_the_cloud_is_asked_anything(stack: Stack) -> None:
    bad = cluster(kubernetes={"version": "v1.34"}, name="Not A Name")
    bad["workers"]["worker"]["count"] = -1

    refused = stack.up(bad)

    assert not refused.ok
    for path in ("kubernetes.version", "name", "workers.worker.count"):
        assert f"{path}: " in refused.output
    assert "Traceback" not in refused.output
    assert refused.steps == []


def test_secrets_are_in_neither_output_nor_state(stack: Stack) -> None:
    created = stack.up(cluster())
    cloud_config = str(created.find("create Instance worker-0").inputs["userData"])
    key_line = next(line for line in cloud_config.splitlines() if "b3BlbnNzaC1rZXk" in line).strip()

    state = stack.state()

    for secret in (
        SECRET,
        key_line,
        "stdout of sudo -n bash -s join-ticket",
        "stdout of sudo -n bash -s kubeconfig-read",
    ):
        assert secret not in state
        assert secret not in created.output


def test_after_a_failed_create_the_next_up_goes_on(stack: Stack) -> None:
    stack.break_steps("create worker-0-join")
    assert not stack.up(cluster()).ok
    assert stack.outputs() == {}

    stack.break_steps()
    mended = stack.up(cluster())

    assert mended.ok, mended.output
    # The ticket of the first try may have expired since.
    assert mended.in_order("create worker-0-ticket", "create worker-0-join", "create worker-0-member")
    assert not any("Instance" in step for step in mended.steps)
    assert stack.up(cluster()).steps == []


def test_a_server_that_its_cloud_gave_up_half_made_is_made_anew_by_the_next_up(stack: Stack) -> None:
    stack.stands(cluster())
    stack.break_steps("create Instance worker-2", half_made=True)
    wished = cluster(workers={"count": 3})

    assert not stack.up(wished).ok
    again = stack.up(wished)
    assert not again.ok
    assert again.in_order("delete Instance worker-2", "create Instance worker-2")
    assert "create worker-2-ready" not in again.steps, "nobody waits for a machine that never comes up"

    stack.break_steps()
    mended = stack.up(wished)
    assert mended.ok, mended.output
    assert mended.in_order("delete Instance worker-2", "create Instance worker-2", "create worker-2-member")
    assert stack.up(wished).steps == []


def test_a_volume_that_was_left_half_made_is_replaced_only_by_who_says_that_it_holds_nothing(stack: Stack) -> None:
    stack.break_steps("create Volume control-plane-0-state", half_made=True)
    assert not stack.up(cluster()).ok
    stack.break_steps("create Instance control-plane-0")
    assert "delete Volume control-plane-0-state" not in stack.up(cluster()).steps

    stack.break_steps()
    stack.taint("control-plane-0-state")
    mended = stack.up(cluster())
    assert mended.ok, mended.output
    assert mended.find("delete Volume control-plane-0-state")
    assert mended.in_order("create Volume control-plane-0-state", "create Instance control-plane-0")
    assert stack.up(cluster()).steps == []
