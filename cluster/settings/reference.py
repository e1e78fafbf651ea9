"""The reference of all settings, written from the model: what `docs/config.md` holds."""

from collections.abc import Iterator
from enum import Enum
from ipaddress import IPv4Address, IPv4Network
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from cluster.settings.cluster import ClusterSettings
from cluster.settings.faults import is_collection, section_in
from cluster.settings.section import Section, is_fixed_at_birth

HEAD = """\
# Settings of a stack

All that the object under `nodewright:cluster` in `stacks/Pulumi.<stack>.yaml` may say. Written from the model in
`cluster/settings/` by `make golden`: do not edit it here.

- Keys marked **born** are fixed when the cluster is born: a change is refused, with the old and the new value.
- Whether there is a load balancer is fixed at birth, too: the API's address is in every certificate.
- Secrets have no place here. The stack's one secret is `nodewright:secret`
  (`openssl rand -hex 32 | pulumi config set --secret nodewright:secret`); passwords are in `nodewright:secrets`
  (`pulumi config set --secret --path 'nodewright:secrets["registry/reg.example:5000"]'`).
- Every fault of a file is said at once, by its path, before anything is changed.
"""

WORDS: dict[type, str] = {
    str: "text",
    int: "number",
    bool: "true or false",
    IPv4Network: "network",
    IPv4Address: "address",
}


def config_reference() -> str:
    """Write the whole reference, one table for each section."""
    return "\n".join([HEAD, *(_table(path, section) for path, section in _sections("", ClusterSettings))])


def _sections(path: str, section: type[Section]) -> Iterator[tuple[str, type[Section]]]:
    yield path, section
    for key, field in section.keys().items():
        inner = section_in(field.annotation)
        if inner:
            yield from _sections(f"{path}.{_place(key, field)}".lstrip("."), inner)


def _place(key: str, field: FieldInfo) -> str:
    if not is_collection(field.annotation):
        return key
    return f"{key}.<name>" if get_origin(field.annotation) is dict else f"{key}[]"


def _table(path: str, section: type[Section]) -> str:
    title = f"`{path}`" if path else "The cluster"
    rows = "\n".join(_row(key, field) for key, field in section.keys().items())
    return f"## {title}\n\n{section.__doc__}\n\n| Key | Kind | Default | Meaning |\n|---|---|---|---|\n{rows}\n"


def _row(key: str, field: FieldInfo) -> str:
    born = " **born**" if is_fixed_at_birth(field) else ""
    return f"| `{key}`{born} | {_kind(field.annotation)} | {_default(field)} | {field.description} |"


def _kind(annotation: Any) -> str:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind(parts[0])
    if origin in {Union, UnionType}:
        return " or ".join(_kind(part) for part in parts if part is not NoneType)
    if origin in {tuple, dict}:
        return f"list of {_kind(parts[0])}" if origin is tuple else f"names to {_kind(parts[1])}"
    return _plain_kind(annotation)


def _plain_kind(annotation: Any) -> str:
    if section_in(annotation):
        return "section"
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return ", ".join(f"`{choice.value}`" for choice in annotation)
    return WORDS.get(annotation, "anything")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "*needed*"
    value = field.default
    if value is None or isinstance(value, Section):
        return ""
    if isinstance(value, tuple | dict):
        return ", ".join(f"`{item}`" for item in value)
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value}`"
