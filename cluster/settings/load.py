"""From the plain object in a stack file to checked settings, or every fault in it."""

from typing import get_type_hints

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
    types = get_type_hints(ClusterSettings, include_extras=True)
    for name, field in ClusterSettings.model_fields.items():
        key = field.alias or name
        if key == "workers":
            continue
        try:
            if key in given:
                adapter: TypeAdapter[object] = TypeAdapter(types[name])
                readable[key] = adapter.validate_python(given[key])
            elif not field.is_required():
                readable[key] = field.default
            else:
                unreadable.add(key)
        except ValidationError:
            unreadable.add(key)
    return Parts.of(readable, _readable_pools(given.get("workers"), unreadable), frozenset(unreadable))


def _readable_pools(raw: object, unreadable: set[str]) -> dict[str, object]:
    """Read each worker pool by itself."""
    pools: dict[str, object] = {}
    adapter: TypeAdapter[dict[str, object]] = TypeAdapter(
        get_type_hints(ClusterSettings, include_extras=True)["workers"]
    )
    for name, pool in raw.items() if isinstance(raw, dict) else ():
        try:
            pools |= adapter.validate_python({name: pool})
        except ValidationError:
            unreadable.add(f"workers.{name}")
    return pools
