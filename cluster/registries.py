"""What nodes are told about registries, as text: containerd's host files, hosts entries, and what to try first."""

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

FOLDER = "/etc/containerd/certs.d"
NOTHING = "-"


@dataclass(frozen=True, kw_only=True)
class Registry:
    """A registry with everything known; the password shows in no repr."""

    server: str
    https: bool
    ca: str
    mirror_of: tuple[str, ...]
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    own: bool = False

    @property
    def url(self) -> str:
        """How containerd names it."""
        return f"{'https' if self.https else 'http'}://{self.server}"

    @property
    def login(self) -> str:
        """Name and password as HTTP wants them."""
        if self.username is None or self.password is None:
            return ""
        return base64.b64encode(f"{self.username}:{self.password}".encode()).decode()


def render(registries: Sequence[Registry]) -> str:
    """Write one line for each thing, after one that says how many there are.

    `file <mode> <path> <content>` and `try <url> <server> <ca> <login>`; contents, CA and login are in base64.

    The cluster's own registry is not tried: it may be starting at the same moment, and checks itself.
    """
    lines = [f"# {len(registries)} registries"]
    lines += [f"file {mode} {path} {_encode(content)}" for path, mode, content in _files(registries)]
    lines += [
        f"try {registry.url} {registry.server} {_encode(registry.ca) or NOTHING} {registry.login or NOTHING}"
        for registry in registries
        if not registry.own
    ]
    return "\n".join(lines)


def _files(registries: Sequence[Registry]) -> Iterator[tuple[str, str, str]]:
    """Give path, mode and content of every file below containerd's folder."""
    for registry in registries:
        if registry.ca:
            yield _ca_path(registry), "0644", registry.ca
    hosts = [registry.server for registry in registries]
    hosts += [host for registry in registries for host in registry.mirror_of]
    for host in dict.fromkeys(hosts):
        own = next((registry for registry in registries if registry.server == host), None)
        mirrors = [registry for registry in registries if host in registry.mirror_of]
        secret = any(mirror.login for mirror in mirrors)
        yield f"{FOLDER}/{host}/hosts.toml", "0600" if secret else "0644", _hosts_toml(own, mirrors)


def _hosts_toml(own: Registry | None, mirrors: Sequence[Registry]) -> str:
    lines = ["# Written by Nodewright: changes made here are overwritten."]
    if own:
        lines += [f'server = "{own.url}"', 'capabilities = ["pull", "resolve", "push"]', *_ca_line(own)]
    for mirror in mirrors:
        lines += ["", f'[host."{mirror.url}"]', '  capabilities = ["pull", "resolve"]', *_ca_line(mirror, "  ")]
        if mirror.login:
            # Pods log in where the image's name points to, so a mirror's login has to be here.
            lines += [f'  [host."{mirror.url}".header]', f'    Authorization = ["Basic {mirror.login}"]']
    return "\n".join(lines) + "\n"


def _ca_line(registry: Registry, indent: str = "") -> list[str]:
    return [f'{indent}ca = "{_ca_path(registry)}"'] if registry.ca else []


def _ca_path(registry: Registry) -> str:
    return f"{FOLDER}/{registry.server}/ca.crt"


def _encode(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
