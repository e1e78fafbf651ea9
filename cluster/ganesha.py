"""The NFS server's configuration, as text."""

from collections.abc import Iterable

from cluster.plan.storage import ExportPlan

MOUNTD_PORT = 20048
# Who holds which file open is remembered on a volume: a machine that was healed lets its clients take it back.
RECOVERY_DIRECTORY = ".nodewright-nfs"

HEAD = """\
# Written by Nodewright: changes made here are overwritten.
NFS_CORE_PARAM {{
  Protocols = 3, 4;
  NFS_Port = 2049;
  MNT_Port = {mountd_port};
  # Locks over version 3 would need ports that nobody can name beforehand; version 4 has its own.
  Enable_NLM = false;
  Enable_RQUOTA = false;
}}

NFSv4 {{
  # After a start, clients get this long to come back; short, because everybody else waits meanwhile.
  Lease_Lifetime = 15;
  Grace_Period = 20;
  RecoveryBackend = fs;
  RecoveryRoot = "{recovery}";
}}

NFS_KRB5 {{
  Active_krb5 = false;
}}

EXPORT_DEFAULTS {{
  # Nobody but the clients that an export names.
  Access_Type = None;
  Squash = No_Root_Squash;
  SecType = sys;
  Protocols = 3, 4;
  Transports = TCP;
}}
"""

EXPORT = """\
EXPORT {{
  Export_Id = {number};
  Path = "{directory}";
  Pseudo = "{directory}";
  FSAL {{ Name = VFS; }}
  CLIENT {{
    Clients = {clients};
    Access_Type = RW;
  }}
}}
"""


def render(*, exports: Iterable[ExportPlan], first_mount_point: str) -> str:
    """Write ganesha.conf: an export has the same path for version 3 and version 4."""
    head = HEAD.format(mountd_port=MOUNTD_PORT, recovery=f"{first_mount_point}/{RECOVERY_DIRECTORY}")
    return "\n".join(
        [
            head,
            *(
                EXPORT.format(number=export.export_id, directory=export.directory, clients=", ".join(export.clients))
                for export in exports
            ),
        ]
    )
