"""A resource provider that makes nothing, but remembers everything: it stands in for a cloud and its machines.

The engine, the program and every edge between resources are the real ones. Each call is appended to a journal with
the time it began and ended, so that a test can say what came before what; the step that began last is told meanwhile.
A test breaks a step by naming it in the faults file, and lets steps that should run at once wait for each other by a
pattern in the meetings file.
"""

# ruff: noqa: N802, E402 - methods are named by the engine's protocol; the SDK is cut down before it is imported

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import threading
import time
from collections.abc import Mapping
from concurrent import futures
from importlib import metadata, util
from pathlib import Path
from types import ModuleType
from typing import Any

# Of the SDK only the protocol is wanted, and a provider starts often: the packages around it are never run.
for name in ("pulumi", "pulumi.runtime"):
    found = util.find_spec(name)
    assert found
    sys.modules[name] = ModuleType(name)
    sys.modules[name].__path__ = list(found.submodule_search_locations or ())

import grpc
from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc, status_pb2

# How long each step takes; longer where a test must meet an update that is under way.
STEP_S = float(os.environ.get("FAKE_STEP_SECONDS", "0.01"))
MEETING_S = 60
# Before a step in the faults file: the thing is there afterwards, and is not what was ordered.
HALF_MADE = "half made: "
# The versions that the Python packages ask for.
VERSIONS = {name: metadata.version(f"pulumi-{name}") for name in ("openstack", "command", "kubernetes")}
# How the engine writes a value that is not known yet.
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

# What the real providers compute, and which changes they answer with a replacement.
COMPUTED = {
    "openstack:networking/port:Port": ("allFixedIps", "macAddress"),
    "openstack:networking/floatingIp:FloatingIp": ("address",),
    "openstack:compute/instance:Instance": ("accessIpV4",),
    "command:remote:Command": ("stdout", "stderr"),
}
REPLACED_BY = {
    "openstack:compute/instance:Instance": (
        "networks",
        "userData",
        "keyPair",
        "blockDevices",
        "schedulerHints",
        "availabilityZone",
    ),
    "openstack:networking/port:Port": ("networkId",),
    "openstack:networking/secGroupRule:SecGroupRule": ("*",),
    "openstack:networking/subnet:Subnet": ("cidr", "networkId"),
    "openstack:networking/routerInterface:RouterInterface": ("*",),
    "openstack:compute/serverGroup:ServerGroup": ("*",),
    "openstack:blockstorage/volume:Volume": ("availabilityZone", "imageId"),
    "command:remote:Command": ("triggers",),
    "command:remote:CopyToRemote": ("triggers",),
}


def to_dict(struct: struct_pb2.Struct) -> dict[str, Any]:
    return dict(json_format.MessageToDict(struct))


def to_struct(values: Mapping[str, Any]) -> struct_pb2.Struct:
    return json_format.ParseDict(dict(values), struct_pb2.Struct())


class FakeProvider(provider_pb2_grpc.ResourceProviderServicer):
    def __init__(self, package: str, directory: Path) -> None:
        self._package = package
        self._journal = directory / "journal.jsonl"
        self._under_way = directory / "under-way"
        self._faults = directory / "faults"
        meetings = directory / "meetings.json"
        wanted: dict[str, int] = json.loads(meetings.read_text()) if meetings.exists() else {}
        self._meetings = {pattern: threading.Barrier(count) for pattern, count in wanted.items()}

    # What the engine asks of every plugin.

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return plugin_pb2.PluginInfo(version=VERSIONS[self._package])

    def GetSchema(self, request: Any, context: Any) -> Any:
        return provider_pb2.GetSchemaResponse(
            schema=json.dumps({"name": self._package, "version": VERSIONS[self._package]})
        )

    def CheckConfig(self, request: Any, context: Any) -> Any:
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: Any) -> Any:
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    def Configure(self, request: Any, context: Any) -> Any:
        return provider_pb2.ConfigureResponse(acceptSecrets=False, supportsPreview=True, acceptResources=False)

    def Cancel(self, request: Any, context: Any) -> Any:
        return empty_pb2.Empty()

    def Check(self, request: Any, context: Any) -> Any:
        return provider_pb2.CheckResponse(inputs=request.news)

    def Invoke(self, request: Any, context: Any) -> Any:
        asked = to_dict(request.args)
        name = asked.get("name") or asked.get("networkId") or "any"
        answer = provider_pb2.InvokeResponse()
        getattr(answer, "return").CopyFrom(to_struct({**asked, "id": f"{name}-id", "cidr": "10.20.0.0/24"}))
        return answer

    def Read(self, request: Any, context: Any) -> Any:
        return provider_pb2.ReadResponse(id=request.id, inputs=request.inputs, properties=request.properties)

    # The life of a resource.

    def Diff(self, request: Any, context: Any) -> Any:
        kind = request.urn.split("::")[2].rsplit("$", maxsplit=1)[-1]
        old, new = to_dict(request.old_inputs), to_dict(request.news)
        ignored = set(request.ignoreChanges)
        changed = sorted(k for k in old.keys() | new.keys() if k not in ignored and old.get(k) != new.get(k))
        replacing = REPLACED_BY.get(kind, ())
        replaces = [k for k in changed if k in replacing or "*" in replacing]
        answer = provider_pb2.DiffResponse.DIFF_SOME if changed else provider_pb2.DiffResponse.DIFF_NONE
        return provider_pb2.DiffResponse(changes=answer, diffs=changed, replaces=replaces)

    def Create(self, request: Any, context: Any) -> Any:
        inputs = to_dict(request.properties)
        if request.preview:
            return provider_pb2.CreateResponse(
                id="", properties=to_struct(self._outputs(request.urn, "", inputs, preview=True))
            )
        identity = f"{request.urn.rsplit('::', 1)[1]}-{time.time_ns()}"
        outputs = to_struct(self._outputs(request.urn, identity, inputs))
        half_made = provider_pb2.ErrorResourceInitFailed(id=identity, properties=outputs, reasons=["half made"])
        self._step("create", request.urn, inputs, context, half_made)
        return provider_pb2.CreateResponse(id=identity, properties=outputs)

    def Update(self, request: Any, context: Any) -> Any:
        inputs = to_dict(request.news)
        if not request.preview:
            self._step("update", request.urn, inputs, context)
        outputs = self._outputs(request.urn, request.id, inputs, preview=request.preview)
        kept = {k: v for k, v in to_dict(request.olds).items() if k in outputs and k not in inputs}
        return provider_pb2.UpdateResponse(properties=to_struct({**outputs, **kept}))

    def Delete(self, request: Any, context: Any) -> Any:
        self._step("delete", request.urn, to_dict(request.properties), context)
        return empty_pb2.Empty()

    def _outputs(self, urn: str, identity: str, inputs: dict[str, Any], *, preview: bool = False) -> dict[str, Any]:
        kind = urn.split("::")[2].rsplit("$", maxsplit=1)[-1]
        computed: dict[str, Any] = {}
        for field in COMPUTED.get(kind, ()):
            if preview:
                computed[field] = UNKNOWN
            elif field == "allFixedIps":
                computed[field] = [address_of(identity)]
            elif field == "stdout":
                computed[field] = f"stdout of {inputs.get('create', '')}"
            else:
                computed[field] = f"{field} of {identity}"
        return {**computed, **inputs}

    def _step(self, action: str, urn: str, inputs: dict[str, Any], context: Any, half_made: Any = None) -> None:
        kind, name = urn.split("::")[2].rsplit(":", 1)[1], urn.rsplit("::", 1)[1]
        command = inputs.get({"create": "create", "update": "update", "delete": "delete"}[action])
        if action == "delete" and "command:" in urn and command is None:
            return  # the real provider does nothing then either
        step = f"{action} {name}" if kind == "Command" else f"{action} {kind} {name}"
        began = time.time()
        self._under_way.write_text(step)
        time.sleep(STEP_S)
        broken = self._faults.read_text().splitlines() if self._faults.exists() else []
        left_half_made = f"{HALF_MADE}{step}" in broken
        failed = step in broken or left_half_made or not self._met(step)
        record = {"step": step, "began": began, "ended": time.time(), "failed": failed, "inputs": inputs}
        with self._journal.open("a") as journal:
            journal.write(json.dumps(record) + "\n")
        if left_half_made:
            status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=f"{step}: half made")
            status.details.add().Pack(half_made)
            context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
        if failed:
            context.abort(grpc.StatusCode.UNKNOWN, f"{step}: made to fail")

    def _met(self, step: str) -> bool:
        """Wait for the others of the meeting, if this step has one; tell whether they came."""
        try:
            for pattern, barrier in self._meetings.items():
                if re.fullmatch(pattern, step):
                    barrier.wait(timeout=MEETING_S)
        except threading.BrokenBarrierError:
            return False
        return True


def address_of(port: str) -> str:
    """An address that no other port has, as far as sixteen million are enough for that."""
    return ".".join(["10", *map(str, hashlib.sha256(port.encode()).digest()[:3])])


def main() -> None:
    package, directory = sys.argv[1], Path(os.environ["FAKE_PROVIDER_DIR"])
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=64))
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(FakeProvider(package, directory), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    engine = os.getppid()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    # An engine that was killed says no goodbye.
    while os.getppid() == engine and server.wait_for_termination(timeout=1):
        pass


if __name__ == "__main__":
    main()
