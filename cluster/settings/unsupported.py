"""What a stack may say one day and the program does not build yet: refused, so that nothing is silently left out.

Remove a name here when the part exists.
"""

from collections.abc import Iterator

from cluster.settings.faults import Fault
from cluster.settings.kubernetes import Installer
from cluster.settings.rules.parts import Parts

INSTALLERS = (Installer.KUBESPRAY, Installer.CLUSTER_API)


def unsupported(parts: Parts) -> Iterator[Fault]:
    """Say every part of the settings that is not built yet."""
    if parts.installer in INSTALLERS:
        yield Fault("installer", f"not supported yet: {parts.installer}; give kubeadm")
