"""What a machine is told at its first boot, as cloud-config."""

from collections.abc import Iterable

import yaml

from cluster.keys import SshKey

# One kind of host key, so that the pinned one is the one that is shown. Many commands may start at once through a
# bastion; sshd's default turns away new connections, at random, from the tenth on.
SSHD_CONFIG = """\
HostKey /etc/ssh/ssh_host_ed25519_key
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin no
MaxStartups 200:30:400
"""


def render(*, node_key: str, user: str, host_key: SshKey, authorized_keys: Iterable[str]) -> str:
    """Write the cloud-config of a machine; it holds the private host key and is secret."""
    content = {
        "hostname": node_key,
        "preserve_hostname": False,
        "manage_etc_hosts": "localhost",
        "disable_root": True,
        "ssh_pwauth": False,
        "ssh_deletekeys": True,
        "ssh_genkeytypes": ["ed25519"],
        "ssh_keys": {"ed25519_private": host_key.private, "ed25519_public": host_key.public},
        "users": [
            {
                "name": user,
                "shell": "/bin/bash",
                "sudo": "ALL=(ALL) NOPASSWD:ALL",
                "lock_passwd": True,
                "ssh_authorized_keys": list(authorized_keys),
            }
        ],
        "write_files": [
            {
                "path": "/etc/ssh/sshd_config.d/10-nodewright.conf",
                "permissions": "0644",
                "content": SSHD_CONFIG,
            }
        ],
    }
    return "#cloud-config\n" + yaml.dump(content, Dumper=_BlockText, sort_keys=False, width=1000)


class _BlockText(yaml.SafeDumper):
    """Writes texts of several lines as they are, so that a person can read them."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_BlockText.add_representer(str, _represent_text)
