"""From the plain object in a stack file to checked settings, or every fault in it."""

from contextlib import suppress
from functools import cache
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from cluster.settings.cluster import ClusterSettings
from cluster.settings.faults import Fault, SettingsError, faults_of
from cluster.settings.rules import broken_rules
from cluster.settings.rules.parts import Parts
from cluster.settings.unsupported import unsupported


def load(raw: object) -> ClusterSettings:
    """Read the object under `nodewright:cluster`; raise `SettingsError` with all its faults.

    Rules between sections are checked for whatever could be read, so that one typing error does not hide them.
    """
    faults: list[Fault] = []
    settings: ClusterSettings | None = None
    try:
        settings = ClusterSettings.model_validate(raw)
    except ValidationError as error:
        faults += faults_of(error, ClusterSettings)
    parts = _readable_parts(raw)
    faults += broken_rules(parts)
    faults += unsupported(parts)
    if faults or settings is None:
        raise SettingsError(faults)
    return settings


def _readable_parts(raw: object) -> Parts:
    """Read each section by itself; the ones that cannot be read are remembered as such."""
    given = raw if isinstance(raw, dict) else {}
    readable: dict[str, object] = {}
    unreadable: set[str] = set()
    for key, field in ClusterSettings.keys().items():
        if key == "workers":
            continue
        try:
            if key in given:
                readable[key] = _readers()[key].validate_python(given[key])
            elif not field.is_required():
                readable[key] = field.default
        except ValidationError:
            unreadable.add(key)
    return Parts.of(readable, _readable_pools(given.get("workers")), frozenset(unreadable))


def _readable_pools(raw: object) -> dict[str, object]:
    """Read each worker pool by itself."""
    pools: dict[str, object] = {}
    for name, pool in raw.items() if isinstance(raw, dict) else ():
        with suppress(ValidationError):
            pools |= _readers()["workers"].validate_python({name: pool})
    return pools


@cache
def _readers() -> dict[str, TypeAdapter[Any]]:
    """What reads each section; pydantic keeps validators apart from the bare type, so the hints are asked."""
    hints = get_type_hints(ClusterSettings, include_extras=True)
    return {field.alias or name: TypeAdapter(hints[name]) for name, field in ClusterSettings.model_fields.items()}
