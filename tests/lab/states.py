"""Two states of a stack, compared: what is made anew differs in nothing but ids, addresses, times and secrets."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

SECRET_KEY = "4dabf18193072939515e22adb298388d"
"""How the engine marks a secret in a state."""
FACTS = ("type", "parent", "dependencies", "propertyDependencies", "deletedWith", "protect", "retainOnDelete", "custom")
# What a cloud or a clock gives out anew each time; the numbers of a heal only say which one it was.
ANEW = (
    (re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<id>"),
    (re.compile(r"\b(?:10\.61\.0|172\.24\.4)\.\d+\b"), "<address>"),
    (re.compile(r"-h\d+\b"), "-h<heal>"),
    (re.compile(r"\b1[0-9]{9}\b"), "<time>"),
)


def comparable(exported: str) -> dict[str, Any]:
    """Give what a state says of each resource, without what differs from one making to the next."""
    resources = json.loads(exported)["deployment"]["resources"]
    return {resource["urn"]: _plain(resource) for resource in resources}


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Name what differs, and never show it."""
    named = [f"only in one: {urn}" for urn in sorted(one.keys() ^ other.keys())]
    for urn in sorted(one.keys() & other.keys()):
        facts = sorted(fact for fact in one[urn] | other[urn] if one[urn].get(fact) != other[urn].get(fact))
        named += [f"{fact} of {urn}" for fact in facts]
    return named


def _plain(resource: Mapping[str, Any]) -> dict[str, Any]:
    plain = {fact: _sorted(resource.get(fact)) for fact in FACTS}
    plain |= {f"input {name}": _same(value) for name, value in resource.get("inputs", {}).items()}
    if resource["type"] == "pulumi:pulumi:Stack":
        plain |= {f"output {name}": _same(value) for name, value in resource.get("outputs", {}).items()}
    return plain


def _sorted(value: Any) -> Any:
    """The engine notes down in any order what a resource depends on."""
    if isinstance(value, Mapping):
        return {name: _sorted(item) for name, item in value.items()}
    return sorted(value) if isinstance(value, list) else value


def _same(value: Any) -> Any:
    if isinstance(value, Mapping):
        if SECRET_KEY in value:
            return "<secret>"
        return {name: "<heal>" if name == "heal" else _same(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_same(item) for item in value]
    if isinstance(value, str):
        for pattern, word in ANEW:
            value = pattern.sub(word, value)
    return value
