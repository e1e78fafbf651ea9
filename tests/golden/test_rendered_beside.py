"""What storage and registry machines are given, as text: each file under files/ was read by a person."""

import base64
from collections.abc import Callable

from cluster import ganesha, registries, registry_config
from cluster.registries import Registry
from tests.examples import planned, raw

Golden = Callable[[str, str], None]


def test_ganesha_with_exports_on_two_volumes(golden: Golden) -> None:
    storage = {
        "flavor": "s",
        "volumes": [
            {"name": "fast", "size-gib": 5, "mount-to": "/fast"},
            {"name": "slow", "size-gib": 50, "mount-to": "/slow"},
        ],
        "exports": [
            {"directory": "/fast/nfs", "to": "10.20.0.0/24"},
            {"directory": "/slow", "to": "10.20.0.0/24"},
            {"directory": "/slow", "to": "10.9.0.5/32"},
        ],
    }
    plan = planned(raw({"storage": storage})).storage
    assert plan
    golden("ganesha.conf", ganesha.render(exports=plan.exports, first_mount_point="/fast"))


def test_registry_with_a_certificate(golden: Golden) -> None:
    plan = planned(raw({"registry": {"flavor": "s", "volume-gib": 5, "read-only": True}})).registry
    assert plan
    golden("registry.yml", registry_config.render(plan, mount_point="/srv/registry", http_secret="the secret"))


def test_what_nodes_are_told_of_registries(golden: Golden) -> None:
    """With the contents in clear, so that they can be read."""
    own = Registry(server="registry.demo.internal:5000", https=True, ca="own CA\n", mirror_of=("docker.io",), own=True)
    other = Registry(
        server="reg.example", https=True, ca="", mirror_of=("docker.io",), username="bob", password="not real"
    )
    plain = Registry(server="10.9.0.5:5000", https=False, ca="", mirror_of=())
    lines = []
    for line in registries.render([own, other, plain]).splitlines():
        *words, last = line.split(" ")
        lines.append(f"{' '.join(words)}\n{base64.b64decode(last).decode()}" if words[0] == "file" else line)
    golden("registries.txt", "\n".join(lines) + "\n")
