"""Whatever a stack file holds, reading it ends in settings or in faults, never in another error."""

from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest

from cluster.settings import SettingsError, load
from tests.examples import PUBLIC_KEY, ha

STRANGE: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    "",
    "x y",
    "{found}",
    "ä" * 300,
    [],
    [None],
    [[]],
    {},
    {"": None},
    {1: 2},
)


def everything() -> dict[str, Any]:
    """Give settings that use every section."""
    return ha(
        {
            "kubernetes.kubeadm-overrides": [{"kind": "KubeletConfiguration", "maxPods": 60}],
            "network.proxy": {"http": "http://proxy:1", "no-proxy": ["x"]},
            "network.dns-servers": ["10.0.0.2"],
            "access": {"user": "debian", "bastion": "none", "floating-ips": True, "authorized-keys": [PUBLIC_KEY]},
            "security": {"api-allowed-cidrs": ["10.0.0.0/8"], "node-port-allowed-cidrs": ["10.0.0.0/8"]},
            "drain": {"grace-s": 1, "timeout-s": 2, "policy": "skip"},
            "parallel": {"joins": 1, "leaves": 1},
            "workers.worker.labels": {"a": "b"},
            "workers.worker.taints": ["a:NoSchedule"],
            "workers.worker.without": ["worker-1"],
            "workers.worker.heal": {"worker-0": 1},
            "load-balancer.services": [{"name": "web", "port": 80, "node-port": 30080}],
            "registry": {"flavor": "s", "volume-gib": 5},
            "registries": [
                {"server": "r:5000", "username": "bob", "hosts": "10.0.0.9 r", "pull-secrets": [{"namespace": "a"}]}
            ],
            "storage": {
                "flavor": "s",
                "volumes": [{"name": "data", "size-gib": 5, "mount-to": "/volume"}],
                "exports": [{"directory": "/volume/a", "to": "10.20.0.0/24"}],
                "persistent-volumes": [
                    "tests/unit/manifests/volumes.yaml",
                    {"name": "a", "size-gib": 1, "path": "/volume/a"},
                ],
            },
        }
    )


def places(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def put(settings: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = deepcopy(settings)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return changed


def test_nothing_is_wrong_with_everything() -> None:
    assert load(everything()).storage


@pytest.mark.parametrize("section", everything())
def test_strange_values_end_in_settings_or_faults(section: str) -> None:
    settings = everything()
    for path in places(settings[section], (section,)):
        for value in STRANGE:
            # Some strange values are sound in some places; what counts is that nothing else is ever raised.
            with suppress(SettingsError):
                load(put(settings, path, deepcopy(value)))


def test_strange_keys_end_in_faults() -> None:
    for key in (1, None, True, "", "Ä", "{0}"):
        for path in (
            (),
            ("workers",),
            ("workers", "worker"),
            ("workers", "worker", "labels"),
            ("kubernetes",),
            ("drain",),
        ):
            with pytest.raises(SettingsError):
                load(put(everything(), (*path, key), "x"))
