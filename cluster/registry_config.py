"""The registry's configuration, as text."""

import json
from collections.abc import Mapping
from typing import Any

import yaml

from cluster.plan import RegistryPlan
from cluster.settings.registry import RegistryTls

FOLDER = "/etc/nodewright/registry"


def render(registry: RegistryPlan, *, mount_point: str, http_secret: str) -> str:
    """Write config.yml; certificate, key and login lie beside it."""
    http: dict[str, Any] = {
        "addr": f":{registry.port}",
        "secret": http_secret,
        "headers": {"X-Content-Type-Options": ["nosniff"]},
    }
    if registry.tls is not RegistryTls.NONE:
        http["tls"] = {
            "certificate": f"{FOLDER}/tls.crt",
            "key": f"{FOLDER}/tls.key",
            "minimumtls": "tls1.2",
        }
    content = {
        "version": 0.1,
        "log": {"level": "info", "accesslog": {"disabled": True}, "fields": {"service": "registry"}},
        "storage": {
            "filesystem": {"rootdirectory": f"{mount_point}/images"},
            "cache": {"blobdescriptor": "inmemory"},
            "delete": {"enabled": True},
            "maintenance": {"readonly": {"enabled": registry.read_only}},
        },
        "http": http,
        "auth": {"htpasswd": {"realm": "nodewright", "path": f"{FOLDER}/htpasswd"}},
        "health": {"storagedriver": {"enabled": True, "interval": "10s", "threshold": 3}},
    }
    return "# Written by Nodewright: changes made here are overwritten.\n" + yaml.safe_dump(content, sort_keys=False)


def docker_config(server: str, username: str, password: str) -> str:
    """Write what a pull secret holds."""
    login: Mapping[str, Any] = {"auths": {server: {"username": username, "password": password}}}
    return json.dumps(login)
