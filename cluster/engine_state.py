"""What the engine knows of this stack before the program runs: its config, and its exports of last time."""

import json
import time
from collections.abc import Mapping
from typing import Any

import pulumi

from cluster.keys import SecretError
from cluster.plan import Change, ClusterPlan

READS = 20
READ_PAUSE_S = 0.25
HOW_TO_SET = "run: openssl rand -hex 32 | pulumi config set --secret nodewright:secret"


def cluster_config() -> object:
    """Read the object under `nodewright:cluster`, as it stands."""
    return pulumi.Config("nodewright").get_object("cluster")


def cluster_secret() -> str:
    """Read the stack's one secret, in plain: what is made of it is marked secret where it enters a resource."""
    key = "nodewright:secret"
    secret = pulumi.runtime.get_config(key)
    if not secret:
        msg = f"reading {key}: it is missing; {HOW_TO_SET}"
        raise SecretError(msg)
    if not pulumi.runtime.is_config_secret(key):
        msg = f"reading {key}: it lies in the stack file unencrypted, so others may have read it; {HOW_TO_SET}"
        raise SecretError(msg)
    return str(secret)


def cluster_passwords() -> Mapping[str, str]:
    """Read the passwords of the stack, in plain, by their keys; marked secret where they enter a resource."""
    key = "nodewright:secrets"
    text = pulumi.runtime.get_config(key)
    if not text:
        return {}
    set_one = f"run: pulumi config set --secret --path '{key}[\"<name>\"]'"
    if not pulumi.runtime.is_config_secret(key):
        msg = f"reading {key}: it lies in the stack file unencrypted, so others may have read it; {set_one}"
        raise SecretError(msg)
    try:
        values = json.loads(text)
    except ValueError:
        values = None
    if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
        msg = f"reading {key}: it is no list of names with a text each; {set_one}"
        raise SecretError(msg)
    return values


def previous_outputs() -> Mapping[str, Any]:
    """Read this stack's own exports; nothing before its first `up` went through."""
    stack = f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"
    outputs = (_read_outputs(stack) or {}).get("outputs")
    return outputs if isinstance(outputs, Mapping) else {}


def _read_outputs(stack: str) -> Any:
    """Read until it works: a backend in a directory may be in the middle of writing the very file that is read.

    A file that is cut off cannot be taken for a whole one: the engine says so, and nothing was made yet.
    """
    for _ in range(READS - 1):
        try:
            return pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", {"name": stack}).value
        except Exception as error:
            if "failed to load checkpoint" not in str(error):
                raise
            time.sleep(READ_PAUSE_S)
    return pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", {"name": stack}).value


def attempts(plan: ClusterPlan, outputs: Mapping[str, Any], now: float | None = None) -> dict[str, str]:
    """Name for each node the try in which it came in.

    A node that is in keeps the name it came in with, so that nothing changes. The exports are written only when an
    `up` went through: after one that failed, whoever was on the way in is still new and gets a fresh ticket, as the
    last one may have expired or its certificates been replaced since.
    """
    known = outputs.get("attempts")
    known = known if isinstance(known, Mapping) else {}
    current = str(int(time.time() if now is None else now))
    return {
        node.key: str(known.get(node.key, "")) if node.change is Change.KEPT else current
        for node in plan.nodes
        if node.role.is_node
    }
