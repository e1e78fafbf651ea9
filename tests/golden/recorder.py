"""Runs the program without an engine and keeps every request it makes: resources, and the edges between them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pulumi
from google.protobuf import json_format
from pulumi.runtime import mocks

SECRET_MARK = "4dabf18193072939515e22adb298388d"  # how the engine's protocol marks secrets
LONGEST_SHOWN = 80
ADDRESSES = {"registry": "10.30.0.9"}  # part of a certificate, so it has to be one


class Cloud(mocks.Mocks):
    """Gives every resource what only a cloud knows."""

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        known: dict[str, dict[Any, Any]] = {
            "openstack:networking/port:Port": {"allFixedIps": [ADDRESSES.get(args.name, f"address of {args.name}")]},
            "openstack:networking/floatingIp:FloatingIp": {"address": f"public address of {args.name}"},
            "command:remote:Command": {"stdout": f"stdout of {args.name}"},
        }
        return f"id of {args.name}", {**args.inputs, **known.get(args.typ, {})}

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[Any, Any], list[tuple[str, str]] | None]:
        return {"id": f"id of {args.args['name']}"}, []


class Recorder(mocks.MockMonitor):
    """Keeps what `MockMonitor` forgets: parents, dependencies and options."""

    def __init__(self) -> None:
        super().__init__(Cloud())
        self._requests: list[dict[str, Any]] = []

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - named by the protocol
        self._requests.append(json_format.MessageToDict(request))
        return super().RegisterResource(request)  # type: ignore[no-untyped-call]

    def graph(self) -> dict[str, Any]:
        """Give each resource by type and name, with short names for its edges and secrets masked."""
        return {_label(request): _describe(request) for request in self._requests if ":Stack" not in request["type"]}


def record(program: Callable[[], object]) -> str:
    """Run a program; give its graph as sorted JSON."""
    recorder = Recorder()
    mocks.set_mocks(recorder.mocks, project="nodewright", stack="test", preview=False, monitor=recorder)
    pulumi.runtime.test(program)()  # type: ignore[no-untyped-call]
    return json.dumps(recorder.graph(), indent=1, sort_keys=True) + "\n"


def _label(request: Mapping[str, Any]) -> str:
    return f"{request['type'].rsplit(':', 1)[1]} {request['name']}"


def _short(urn: str) -> str:
    kind, name = urn.split("::")[2:]
    return f"{kind.rsplit(':', 1)[1]} {name}"


def _describe(request: Mapping[str, Any]) -> dict[str, Any]:
    urns = {
        "parent": [request["parent"]] if ":Stack" not in request.get("parent", ":Stack") else [],
        "depends on": request.get("dependencies", []),
        "deleted with": [request["deletedWith"]] if request.get("deletedWith") else [],
    }
    options = {
        "replacement trigger": request.get("replacementTrigger"),
        "delete before replace": request.get("deleteBeforeReplace"),
        "ignores changes of": request.get("ignoreChanges"),
        "secret outputs": sorted(set(request.get("additionalSecretOutputs", [])) - {"connection"}),
    }
    described = {
        **{name: sorted({_short(urn) for urn in found}) for name, found in urns.items()},
        **options,
        "inputs": {key: _show(key, value) for key, value in request.get("object", {}).items()},
    }
    return {key: value for key, value in described.items() if value}


def _show(key: str, value: Any) -> Any:
    if isinstance(value, dict) and SECRET_MARK in value:
        inner = value["value"]
        if key == "connection":
            return {"host": inner["host"], "through": inner.get("proxy", {}).get("host")}
        return "<secret>"
    if key == "stdin":
        return _variables(str(value))
    if isinstance(value, dict):
        return {name: _show(name, inner) for name, inner in value.items()}
    return value


def _variables(stdin: str) -> dict[str, str]:
    """Show a script by its variables; what the script says is its own file's business."""
    exports = stdin.split("# shellcheck shell=bash", 1)[0].split("\nexport ")
    pairs = (export.removeprefix("export ").partition("=") for export in exports)
    return {name: value if len(value) <= LONGEST_SHOWN else "<text>" for name, _, value in pairs}
