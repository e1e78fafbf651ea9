"""What the engine and its plugins say when something fails: shortened to a sentence, with the exit code it means."""

import re
from collections.abc import Iterable, Iterator

from lifecycle.errors import Exit, LifecycleError

COLOR = re.compile(r"<\{%[^%]*%\}>|\x1b\[[0-9;]*m")
LONGEST_REASON_LINES = 40
NOISE = (
    "code:",
    "stdout:",
    "Previewing",
    "Updating",
    "an unhandled error occurred: program exited",
    "Program failed with an unhandled exception",
    "The above exception was the direct cause",
    "During handling of the above exception",
)
TRACE = "Traceback (most recent call last):"
# A lookup in the cloud that failed names itself three times before it says why.
LOOKUP = re.compile(r"Exception: invoke of (?P<what>\S+) failed: .*(?:1 error occurred|returned an error): *")
# A server in ERROR: the plugin knows only that, and the cloud knows why.
GIVEN_UP = re.compile(r".*waiting for instance \((?P<id>\S+)\) to become ready: unexpected state 'ERROR'.*")
WHY_GIVEN_UP = (
    r"the cloud gave the server up while it made it; why: openstack server show \g<id> -c fault; "
    "the next run makes it anew"
)
# What OpenStack's client library says when it cannot get in, or nobody is there.
NO_ACCESS = re.compile(
    r"unable to open state directory|PULUMI_ACCESS_TOKEN must be set|"
    r"passphrase must be set|incorrect passphrase|constructing secrets manager|"
    r"Authentication failed|requires authentication|Unauthorized|\bgot 40[13] instead|"
    r"One or more values must be supplied|cloud .* (?:does not exist|was not found)|No value found for|"
    r"no such host|connection refused|no route to host|network is unreachable|i/o timeout|"
    r"unable to (?:load|parse) clouds",
    re.IGNORECASE,
)
# A machine that does not answer over SSH is no matter of access to the cloud: the operation failed.
MACHINE = re.compile(r"[^\n]*(?:dial tcp \S+:22:|ssh: )[^\n]*")
HOW_TO_GET_IN = (
    "check what leads to the cloud and to the stack: clouds.yaml, openstack:cloud, PULUMI_BACKEND_URL, "
    "PULUMI_CONFIG_PASSPHRASE"
)


def said(doing: str, told: str) -> LifecycleError:
    """Make an error of what was told."""
    lines = list(dict.fromkeys(_telling(COLOR.sub("", told).splitlines())))[:LONGEST_REASON_LINES]
    code = _code(told)
    if code is Exit.NO_ACCESS:
        lines.append(HOW_TO_GET_IN)
    return LifecycleError(code, f"{doing}:\n" + "\n".join(f"  {line}" for line in lines))


def _code(told: str) -> Exit:
    if re.search(r"reading nodewright:|parsing config", told):
        return Exit.USAGE
    if "refused, nothing was changed" in told:
        return Exit.REFUSED
    return Exit.NO_ACCESS if NO_ACCESS.search(MACHINE.sub("", told)) else Exit.FAILED


def _telling(lines: Iterable[str]) -> Iterator[str]:
    """Leave out what only somebody who mends the program or the engine would read."""
    for line in _without_traces(lines):
        text = LOOKUP.sub(r"looking up \g<what>:", line.strip().removeprefix("stderr: ").removeprefix("error: "))
        text = GIVEN_UP.sub(WHY_GIVEN_UP, text.removeprefix("* "))
        if text and not text.startswith(NOISE):
            yield text


def _without_traces(lines: Iterable[str]) -> Iterator[str]:
    """Leave out where in the program an exception came up, but for the last place: what it says follows."""
    depth: int | None = None
    place = ""
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if line.strip() == TRACE:
            depth, place = indent, ""
        elif depth is not None and (indent > depth or not line.strip()):
            place = line.strip() if line.strip().startswith("File ") else place
        else:
            ours = place and not LOOKUP.match(line.strip()) and depth is not None
            depth = None
            yield f"{line} ({place})" if ours else line
