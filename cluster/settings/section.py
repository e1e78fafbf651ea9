"""The base of every section of a stack's settings, and how a field is described."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo


def kebab(name: str) -> str:
    """Say a Python name the way a stack file says it: `pod_cidr` is `pod-cidr`."""
    return name.replace("_", "-")


class Section(BaseModel):
    """A part of the settings: kebab-case keys, nothing unknown, never changed after it was read."""

    model_config = ConfigDict(
        alias_generator=kebab,
        extra="forbid",
        frozen=True,
        populate_by_name=False,
    )

    @classmethod
    def keys(cls) -> dict[str, FieldInfo]:
        """Every field by the key a stack file uses for it."""
        return {field.alias or name: field for name, field in cls.model_fields.items()}

    @classmethod
    def values_fixed_at_birth(cls) -> Iterator[str]:
        """The keys of this section that cannot change in the life of a cluster."""
        for key, field in cls.keys().items():
            if is_fixed_at_birth(field):
                yield key


def setting(description: str, *, birth: bool = False, **options: Any) -> Any:
    """Describe a field for people; `birth` marks a value that can never change after the first `up`."""
    return Field(description=description, json_schema_extra={"birth": birth}, **options)


def is_fixed_at_birth(field: FieldInfo) -> bool:
    """Tell whether the field was marked as fixed at birth."""
    extra = field.json_schema_extra
    return isinstance(extra, dict) and extra.get("birth") is True
