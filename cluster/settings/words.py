"""The words of the domain as types: each accepts what the cloud accepts, and says what to write instead."""

import base64
import binascii
import re
from ipaddress import IPv4Network
from pathlib import PurePosixPath
from typing import Annotated, Any
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import AfterValidator, BeforeValidator, Field

DNS_LABEL = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
LABEL_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
LABEL_PREFIX = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
TAINT_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
USER = re.compile(r"[a-z_][-a-z0-9_]*")
KEY_TYPES = ("ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521")
KEY_TYPES_ON_TOKENS = ("sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com")
HOST = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:\d{1,5})?")
HOST_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+")
EXPORT_PATH = re.compile(r"(/[-A-Za-z0-9_.]+)+")
LONGEST_NAME = 40
LONGEST_POOL_NAME = 40
LONGEST_LABEL = 63
LONGEST_PREFIX = 253
HIGHEST_PORT = 65535


def _as_text(value: Any) -> Any:
    """Refuse what YAML made a number or a date of, where a text was meant: 1.34 is not 1.34.0."""
    if isinstance(value, bool | int | float):
        msg = f"is {value!r}, which YAML reads as no text; write it in quotes"
        raise ValueError(msg)
    return value


def _dns_label(value: str, longest: int, what: str) -> str:
    if len(value) > longest or not DNS_LABEL.fullmatch(value):
        msg = (
            f"is {value!r}; give {what} of lower-case letters, digits and dashes that starts with a letter, "
            f"does not end with a dash and has at most {longest} characters"
        )
        raise ValueError(msg)
    return value


def _cluster_name(value: str) -> str:
    return _dns_label(value, LONGEST_NAME, "a name")


def _pool_name(value: str) -> str:
    return _dns_label(value, LONGEST_POOL_NAME, "a pool name")


def _version_text(value: Any) -> Any:
    """Say it in the words of versions: YAML makes a number of 1.34."""
    if isinstance(value, int | float):
        msg = f"is the number {value}; give all three numbers, like 1.34.3"
        raise ValueError(msg)
    return value


def _version(value: str) -> str:
    if not VERSION.fullmatch(value):
        msg = f"is {value!r}; give all three numbers and no 'v', like 1.34.3"
        raise ValueError(msg)
    return value


def _network(value: Any) -> Any:
    """Read a network and refuse one whose address is inside of it: 10.0.0.5/24 was surely meant otherwise."""
    if isinstance(value, IPv4Network):
        return value
    if not isinstance(value, str):
        msg = f"is {value!r}; give a network as a text, like 10.20.0.0/24"
        raise ValueError(msg)
    try:
        network = IPv4Network(value, strict=False)
    except ValueError:
        msg = f"is {value!r}; give an IPv4 network, like 10.20.0.0/24"
        raise ValueError(msg) from None
    if "/" not in value:
        msg = f"is {value!r}, which has no length; write {value}/32 for one address or a network like 10.20.0.0/24"
        raise ValueError(msg)
    if str(network) != value:
        msg = f"is {value!r}, an address inside a network; did you mean {network}?"
        raise ValueError(msg)
    return network


def check_label_key(key: str) -> str | None:
    """Say what is wrong with the key of a label or taint, or nothing."""
    prefix, slash, name = key.rpartition("/")
    if slash and (len(prefix) > LONGEST_PREFIX or not LABEL_PREFIX.fullmatch(prefix)):
        return f"has the prefix {prefix!r}; give a DNS name before the slash, like example.com/role"
    if len(name) > LONGEST_LABEL or not LABEL_NAME.fullmatch(name):
        return f"has the name {name!r}; use letters, digits, '-', '_' and '.', at most {LONGEST_LABEL}"
    return None


def check_label_value(value: str) -> str | None:
    """Say what is wrong with the value of a label or taint, or nothing."""
    if value and (len(value) > LONGEST_LABEL or not LABEL_NAME.fullmatch(value)):
        return f"has the value {value!r}; use letters, digits, '-', '_' and '.', at most {LONGEST_LABEL}"
    return None


def _labels(labels: dict[str, str]) -> dict[str, str]:
    faults = [
        f"label {key!r} {fault}"
        for key, value in labels.items()
        for fault in (check_label_key(key), check_label_value(value))
        if fault
    ]
    if faults:
        raise ValueError("; ".join(faults))
    return labels


def _taint(value: str) -> str:
    pair, colon, effect = value.rpartition(":")
    if not colon or effect not in TAINT_EFFECTS:
        msg = f"is {value!r}; write key=value:effect or key:effect with one of the effects {', '.join(TAINT_EFFECTS)}"
        raise ValueError(msg)
    key, _, text = pair.partition("=")
    fault = check_label_key(key) or check_label_value(text)
    if fault:
        msg = f"is {value!r}, which {fault}"
        raise ValueError(msg)
    return value


def _user(value: str) -> str:
    if value == "root":
        msg = "is 'root'; give the image's own user, like debian or ubuntu: machines refuse root logins"
        raise ValueError(msg)
    if not USER.fullmatch(value):
        msg = f"is {value!r}; give a Linux user name, like debian or ubuntu"
        raise ValueError(msg)
    return value


def _authorized_key(value: str) -> str:
    words = value.split()
    if "PRIVATE KEY" in value:
        msg = "is a private key; give the public one, the line in the .pub file"
        raise ValueError(msg)
    known = (*KEY_TYPES, *KEY_TYPES_ON_TOKENS)
    if len(words) < 2 or words[0] not in known:
        msg = "is not a public key; give the one line of a .pub file, like 'ssh-ed25519 AAAA… name'"
        raise ValueError(msg)
    try:
        base64.b64decode(words[1], validate=True)
    except binascii.Error:
        msg = "is cut or damaged; copy the whole line of the .pub file"
        raise ValueError(msg) from None
    return " ".join(words)


def _url(value: str) -> str:
    parts = urlsplit(value)
    if parts.username or parts.password:
        msg = "holds a user name or password; settings are not secret: give the URL without them"
        raise ValueError(msg)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        msg = f"is {value!r}; give a URL like http://proxy.example:3128"
        raise ValueError(msg)
    return value


def _host(value: str) -> str:
    port = value.partition(":")[2]
    if not HOST.fullmatch(value) or (port and not 0 < int(port) <= HIGHEST_PORT):
        msg = f"is {value!r}; give a host name or address, with a port where it has one, like reg.example:5000"
        raise ValueError(msg)
    return value


def _host_name(value: str) -> str:
    if not HOST_NAME.fullmatch(value) or len(value) > LONGEST_PREFIX:
        msg = f"is {value!r}; give a DNS name in lower case without a port, like registry.example"
        raise ValueError(msg)
    return value


def _absolute_path(value: str) -> str:
    path = PurePosixPath(value)
    if not path.is_absolute() or ".." in path.parts or str(path) != value or value == "/":
        msg = f"is {value!r}; give an absolute directory without '..' or a slash at its end, like /volume"
        raise ValueError(msg)
    return value


def _export_path(value: str) -> str:
    """Refuse what an export list or a mount option would read as more than a path."""
    if not EXPORT_PATH.fullmatch(_absolute_path(value)):
        msg = f"is {value!r}; give a directory of letters, digits, '-', '_' and '.', like /volume/data"
        raise ValueError(msg)
    return value


def _volume_id(value: str) -> str:
    try:
        return str(UUID(value))
    except ValueError:
        msg = f"is {value!r}; give the id of the volume, as `openstack volume list` shows it"
        raise ValueError(msg) from None


def _project_path(value: str) -> str:
    path = PurePosixPath(value)
    if path.is_absolute() or ".." in path.parts or not value.strip():
        msg = f"is {value!r}; give a file inside the project, like manifests/cni/mine.yaml"
        raise ValueError(msg)
    return value


def _cni(value: str) -> str:
    if value == "flannel":
        return value
    if not value.endswith((".yaml", ".yml")):
        msg = f"is {value!r}; give flannel, or the path of a manifest of your own that ends with .yaml"
        raise ValueError(msg)
    return _project_path(value)


def _filled(value: str) -> str:
    if not value.strip() or value != value.strip():
        msg = f"is {value!r}; give the name or id as the cloud shows it"
        raise ValueError(msg)
    return value


ClusterName = Annotated[str, BeforeValidator(_as_text), AfterValidator(_cluster_name)]
PoolName = Annotated[str, BeforeValidator(_as_text), AfterValidator(_pool_name)]
CloudName = Annotated[str, BeforeValidator(_as_text), AfterValidator(_filled)]
Version = Annotated[str, BeforeValidator(_version_text), AfterValidator(_version)]
Network = Annotated[IPv4Network, BeforeValidator(_network)]
LabelText = Annotated[str, BeforeValidator(_as_text)]
Labels = Annotated[dict[str, LabelText], AfterValidator(_labels)]
Taint = Annotated[str, BeforeValidator(_as_text), AfterValidator(_taint)]
User = Annotated[str, BeforeValidator(_as_text), AfterValidator(_user)]
AuthorizedKey = Annotated[str, BeforeValidator(_as_text), AfterValidator(_authorized_key)]
Url = Annotated[str, BeforeValidator(_as_text), AfterValidator(_url)]
Host = Annotated[str, BeforeValidator(_as_text), AfterValidator(_host)]
HostName = Annotated[str, BeforeValidator(_as_text), AfterValidator(_host_name)]
AbsolutePath = Annotated[str, AfterValidator(_absolute_path)]
ExportPath = Annotated[str, AfterValidator(_export_path)]
VolumeId = Annotated[str, BeforeValidator(_as_text), AfterValidator(_volume_id)]
ProjectPath = Annotated[str, AfterValidator(_project_path)]
Cni = Annotated[str, AfterValidator(_cni)]
# Strict: YAML's `yes` and '3' are no numbers, and guessing at a size costs money.
Count = Annotated[int, Field(strict=True, ge=0, le=500)]
Generation = Annotated[int, Field(strict=True, ge=0)]
HealNumber = Annotated[int, Field(strict=True, ge=1)]
VolumeGib = Annotated[int, Field(strict=True, ge=1, le=65536)]
Port = Annotated[int, Field(strict=True, ge=1, le=HIGHEST_PORT)]
NodePort = Annotated[int, Field(strict=True, ge=30000, le=32767)]
