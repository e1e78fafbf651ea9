"""What a stack may say one day and the program does not build yet: refused, so that nothing is silently left out.

Remove an entry here when the part exists.
"""

from collections.abc import Iterator

from cluster.settings.faults import Fault
from cluster.settings.kubernetes import Installer
from cluster.settings.rules.parts import Parts


def unsupported(parts: Parts) -> Iterator[Fault]:
    """Say every part of the settings that is not built yet."""
    if parts.installer not in {None, Installer.KUBEADM}:
        yield Fault("installer", f"not supported yet: {parts.installer}; give kubeadm")
    sections = {"registry": parts.registry, "registries": parts.registries, "storage": parts.storage}
    for path, section in sections.items():
        if section:
            yield Fault(path, "not supported yet; remove the section")
