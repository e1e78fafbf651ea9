"""What nodes are told of registries, as text."""

import base64

from cluster.registries import Registry, render
from tests.examples import planned, raw

REGISTRY = {"flavor": "s", "volume-gib": 5}


def registry(server: str = "reg.example:5000", **changes: object) -> Registry:
    values: dict[str, object] = {"server": server, "https": True, "ca": "", "mirror_of": ()}
    return Registry(**{**values, **changes})  # type: ignore[arg-type]


def files(*registries: Registry) -> dict[str, tuple[str, str]]:
    words = [line.split() for line in render(registries).splitlines() if line.startswith("file ")]
    return {path: (mode, base64.b64decode(content).decode()) for _, mode, path, content in words}


def tries(*registries: Registry) -> list[list[str]]:
    return [line.split()[1:] for line in render(registries).splitlines() if line.startswith("try ")]


def test_a_registry_gets_a_file_that_names_its_server() -> None:
    mode, text = files(registry())["/etc/containerd/certs.d/reg.example:5000/hosts.toml"]
    assert mode == "0644"
    assert 'server = "https://reg.example:5000"' in text
    assert "ca =" not in text


def test_a_ca_lies_beside_it() -> None:
    written = files(registry(ca="PEM\n"))
    assert written["/etc/containerd/certs.d/reg.example:5000/ca.crt"] == ("0644", "PEM\n")
    assert "ca.crt" in written["/etc/containerd/certs.d/reg.example:5000/hosts.toml"][1]


def test_http_is_said_in_the_url() -> None:
    assert (
        'server = "http://r:80"' in files(registry("r:80", https=False))["/etc/containerd/certs.d/r:80/hosts.toml"][1]
    )


def test_mirrors_come_in_the_order_of_the_list_and_before_the_registry_itself() -> None:
    first = registry("one.example", mirror_of=("docker.io",))
    second = registry("two.example", mirror_of=("docker.io",))
    text = files(first, second)["/etc/containerd/certs.d/docker.io/hosts.toml"][1]
    assert text.index("one.example") < text.index("two.example")
    assert "server =" not in text


def test_a_mirrors_login_is_readable_by_root_only() -> None:
    mirror = registry(mirror_of=("docker.io",), username="bob", password="pw")
    mode, text = files(mirror)["/etc/containerd/certs.d/docker.io/hosts.toml"]
    assert mode == "0600"
    assert base64.b64encode(b"bob:pw").decode() in text
    assert files(mirror)["/etc/containerd/certs.d/reg.example:5000/hosts.toml"][0] == "0644"


def test_foreign_registries_are_tried_and_the_own_one_is_not() -> None:
    assert tries(registry(), registry("own:5000", own=True)) == [
        ["https://reg.example:5000", "reg.example:5000", "-", "-"]
    ]


def test_a_password_shows_in_no_repr() -> None:
    assert "hidden" not in repr(registry(username="bob", password="hidden"))


def test_nodes_are_told_when_there_is_no_registry_left() -> None:
    assert render([]) == "# 0 registries"


def test_the_own_registry_is_known_by_a_name_of_the_cluster() -> None:
    plan = planned(raw({"registry": REGISTRY}))
    assert [access.server for access in plan.registry_access] == ["registry.demo.internal:5000"]
    assert plan.tells_registries


def test_a_standard_port_is_left_out_of_the_name() -> None:
    assert planned(raw({"registry": {**REGISTRY, "port": 443}})).registry_access[0].server == "registry.demo.internal"
    plain = planned(raw({"registry": {**REGISTRY, "port": 80, "tls": "none"}})).registry_access[0]
    assert (plain.server, plain.https) == ("registry.demo.internal", False)


def test_a_cluster_that_never_had_registries_tells_nobody() -> None:
    assert not planned(raw()).tells_registries
