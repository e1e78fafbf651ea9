"""From the plain object in a stack file to checked settings, or every fault in it."""

from pydantic import ValidationError

from cluster.settings.cluster import ClusterSettings
from cluster.settings.faults import Fault, SettingsError


def load(raw: object) -> ClusterSettings:
    """Read the object under `nodewright:cluster`; raise `SettingsError` with all its faults."""
    try:
        return ClusterSettings.model_validate(raw)
    except ValidationError as error:
        faults = tuple(Fault(".".join(map(str, e["loc"])), e["msg"]) for e in error.errors())
        raise SettingsError(faults) from None
