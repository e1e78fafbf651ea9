"""Declare the resources that a test wrote down in a file, with the SDK that programs use."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pulumi
from pulumi_command import local, remote

TYPES: dict[str, Any] = {
    "remote": remote.Command,
    "local": local.Command,
    "copy": remote.CopyToRemote,
    "copy-file": remote.CopyFile,
}
SOURCES = {
    "file": pulumi.FileAsset,
    "text": pulumi.StringAsset,
    "directory": pulumi.FileArchive,
    "url": pulumi.RemoteAsset,
}
SNAKE = {
    "agentSocketPath": "agent_socket_path",
    "dialErrorLimit": "dial_error_limit",
    "hostKey": "host_key",
    "perDialTimeout": "per_dial_timeout",
    "privateKey": "private_key",
    "privateKeyPassword": "private_key_password",
}


made: dict[str, Any] = {}


def read(value: Any) -> Any:
    """Turn {"secret": x} into a secret output, and {"stdout of": x} into one that a preview does not know."""
    if isinstance(value, dict):
        if value.keys() == {"stdout of"}:
            return made[value["stdout of"]].stdout
        if value.keys() == {"secret"}:
            return pulumi.Output.secret(value["secret"])
        return {name: read(member) for name, member in value.items()}
    if isinstance(value, list):
        return [read(member) for member in value]
    return value


def endpoint(values: dict[str, Any]) -> dict[str, Any]:
    return {SNAKE.get(name, name): value for name, value in values.items()}


def connection(values: dict[str, Any]) -> remote.ConnectionArgs:
    others = dict(values)
    proxy = others.pop("proxy", None)
    return remote.ConnectionArgs(
        **endpoint(others), proxy=remote.ProxyConnectionArgs(**endpoint(proxy)) if proxy else None
    )


def declare(name: str, kind: str, inputs: dict[str, Any], options: dict[str, Any]) -> None:
    arguments = {key: read(value) for key, value in inputs.items()}
    if "connection" in arguments:
        arguments["connection"] = connection(arguments["connection"])
    for word in SOURCES.keys() & arguments.keys():
        given = arguments.pop(word)
        arguments["source"] = given.apply(SOURCES[word]) if isinstance(given, pulumi.Output) else SOURCES[word](given)
    made[name] = TYPES[kind](name, **arguments, opts=pulumi.ResourceOptions(**options))


for each in json.loads(Path(os.environ["TEST_RESOURCES"]).read_text()):
    declare(each["name"], each["kind"], each["inputs"], each["options"])
