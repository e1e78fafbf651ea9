"""A script has run on a machine, a file has come to it: the only ways this program touches the inside of one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pulumi
from pulumi_command import remote

SCRIPTS = Path(__file__).parent.parent / "scripts"
# How a script asks for a part that it shares with others, or that changes for another reason.
PART = re.compile(r"^\. (parts/[a-z]+)\.sh\n", re.MULTILINE)

# One attempt is bounded, and so are the attempts. sshd drops connections at random above `MaxStartups`, so even a
# machine that is known to be up is asked more than once.
PER_DIAL_TIMEOUT_S = 10
DIAL_ERROR_LIMIT = 10
# A machine that is still booting: about four minutes when it refuses, about a quarter of an hour when it is silent.
FIRST_CONTACT_DIAL_ERROR_LIMIT = 60


@dataclass(frozen=True, kw_only=True)
class Host:
    """A machine as SSH sees it. The host key is known beforehand, so nobody is ever trusted on first use."""

    address: pulumi.Input[str]
    user: str
    private_key: pulumi.Input[str]
    host_key: pulumi.Input[str]
    bastion: Host | None = None

    def connection(self, *, dial_error_limit: int = DIAL_ERROR_LIMIT) -> remote.ConnectionArgs:
        return remote.ConnectionArgs(
            host=self.address,
            user=self.user,
            private_key=self.private_key,
            host_key=self.host_key,
            dial_error_limit=dial_error_limit,
            per_dial_timeout=PER_DIAL_TIMEOUT_S,
            proxy=self.bastion._proxy(dial_error_limit) if self.bastion else None,
        )

    def _proxy(self, dial_error_limit: int) -> remote.ProxyConnectionArgs:
        return remote.ProxyConnectionArgs(
            host=self.address,
            user=self.user,
            private_key=self.private_key,
            host_key=self.host_key,
            dial_error_limit=dial_error_limit,
            per_dial_timeout=PER_DIAL_TIMEOUT_S,
        )


@dataclass(frozen=True, kw_only=True)
class RemoteScriptArgs:
    """Which script runs where, with which variables."""

    host: Host
    script: str
    variables: Mapping[str, pulumi.Input[str]] = field(default_factory=dict)
    triggers: Sequence[pulumi.Input[str]] = ()
    """Identities (a server, a volume): when one changes, the old leave script runs, then the script anew."""
    leave_script: str | None = None
    """Runs when the resource goes, on the same host, with the variables the resource last had."""
    first_contact: bool = False
    """The machine may still be booting."""
    secret_stdout: bool = False
    timeout_s: int = 1800


class RemoteScript(remote.Command):
    """Runs a script of `scripts/` as root; everything travels on stdin, so nothing secret is on a command line."""

    def __init__(self, name: str, args: RemoteScriptArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        timeout = f"{args.timeout_s}s"
        run = f"sudo -n bash -s {args.script}"
        super().__init__(
            name,
            connection=args.host.connection(
                dial_error_limit=FIRST_CONTACT_DIAL_ERROR_LIMIT if args.first_contact else DIAL_ERROR_LIMIT,
            ),
            create=run,
            update=run,
            delete=args.leave_script and f"sudo -n bash -s {args.leave_script}",
            stdin=pulumi.Output.all(**args.variables).apply(
                lambda known: render(args.script, known, leave_script=args.leave_script),
            ),
            triggers=list(args.triggers),
            logging=remote.Logging.STDERR,
            add_previous_output_in_env=False,
            opts=pulumi.ResourceOptions.merge(
                opts,
                pulumi.ResourceOptions(
                    # The default makes the new one first, so an old leave would undo a new join.
                    delete_before_replace=True,
                    additional_secret_outputs=["stdout"] if args.secret_stdout else None,
                    custom_timeouts=pulumi.CustomTimeouts(create=timeout, update=timeout, delete=timeout),
                ),
            ),
        )


@dataclass(frozen=True, kw_only=True)
class RemoteFileArgs:
    """Which file goes where."""

    host: Host
    source: str
    """A path in the project, where the program runs: the state is the same for whoever brings the stack up."""
    path: str
    """A relative one is in the home of the user who logs in, which is not root."""
    triggers: Sequence[pulumi.Input[str]] = ()
    """Identities: when one changes, the file is copied again. Its content is looked at anyway."""


class RemoteFile(remote.CopyToRemote):
    """A file of this machine has come to another. The state holds its hash; it stays when the resource goes."""

    def __init__(self, name: str, args: RemoteFileArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(
            name,
            connection=args.host.connection(),
            source=pulumi.FileAsset(args.source),
            remote_path=args.path,
            triggers=list(args.triggers),
            opts=pulumi.ResourceOptions.merge(
                opts, pulumi.ResourceOptions(custom_timeouts=pulumi.CustomTimeouts(create="30m", update="30m"))
            ),
        )


def render(script: str, variables: Mapping[str, str], *, leave_script: str | None = None) -> str:
    """What goes to bash: the variables, the library, and the script that the word after `-s` names.

    A command has one stdin for create, update and delete, so a script and its leave script travel together.
    """
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in sorted(variables.items()))
    body = read_script(script)
    if leave_script:
        body = f"if [[ $1 == {shlex.quote(leave_script)} ]]; then\n{read_script(leave_script)}else\n{body}fi\n"
    return f"{exports}{read_script('lib')}{body}"


@cache
def read_script(name: str) -> str:
    """Read a script with each part where it is asked for: a machine has no file of ours that bash could read."""
    text = (SCRIPTS / f"{name}.sh").read_text(encoding="utf-8")
    return PART.sub(lambda found: read_script(found[1]), text)
