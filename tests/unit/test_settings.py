"""Settings: what is read, its defaults, and that every fault of a file is said at once."""

from ipaddress import IPv4Network

import pytest
from pydantic import ValidationError

from cluster.settings import Bastion, DrainPolicy, SettingsError, load
from cluster.settings.section import Section
from tests.examples import PUBLIC_KEY, REMOVED, ha, raw


def test_small_example_is_read_with_defaults() -> None:
    settings = load(raw())
    assert settings.kubernetes.pod_cidr == IPv4Network("10.244.0.0/16")
    assert settings.drain.policy is DrainPolicy.FAIL
    assert settings.workers["worker"].max_unavailable == 1
    assert settings.control_plane.taints == ("node-role.kubernetes.io/control-plane:NoSchedule",)


def test_settings_never_change_after_they_were_read() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        load(raw()).name = "other"


def test_three_control_planes_need_no_volume() -> None:
    assert load(ha()).control_plane.volume_gib is None


def test_existing_network_takes_the_place_of_a_range() -> None:
    network = load(raw({"network": {"network": "lan", "subnet": "lan-v4", "external": "public"}})).network
    assert not network.is_own


@pytest.mark.parametrize(
    ("changes", "bastion"),
    [
        ({}, Bastion.LOAD_BALANCER),
        ({"load-balancer": REMOVED}, Bastion.CONTROL_PLANE),
        ({"access.bastion": "control-plane"}, Bastion.CONTROL_PLANE),
        ({"access.floating-ips": True}, Bastion.NONE),
        ({"access.bastion": "none", "network.external": REMOVED}, Bastion.NONE),
    ],
)
def test_bastion_is_the_machine_that_serves_best(changes: dict[str, object], bastion: Bastion) -> None:
    assert load(raw(changes)).bastion is bastion


def test_a_machine_left_out_keeps_its_heal_number() -> None:
    load(raw({"workers.worker.without": ["worker-1"], "workers.worker.heal": {"worker-1": 3, "worker-2": 1}}))


def test_people_keep_their_keys_as_they_wrote_them() -> None:
    assert load(raw({"access.authorized-keys": [PUBLIC_KEY]})).access.authorized_keys == (PUBLIC_KEY,)


def test_all_faults_of_a_file_are_said_together() -> None:
    with pytest.raises(SettingsError) as caught:
        load(
            raw(
                {
                    "name": "Demo",
                    "kubernetes.version": 1.34,
                    "network.cidr": "10.20.0.0/30",
                    "workers.worker.count": -1,
                    "workers.gpu": {"count": 2, "flavor": "g", "max-unavailable": 2},
                    "load-balancer.flavour": "m1.small",
                    "drain": {"grace-s": 90, "timeout-s": 60},
                }
            )
        )
    assert [fault.path for fault in caught.value.faults] == [
        "drain.timeout-s",
        "kubernetes.version",
        "load-balancer.flavour",
        "name",
        "network.cidr",
        "workers.gpu.max-unavailable",
        "workers.worker.count",
    ]
    assert str(caught.value).startswith("reading nodewright:cluster: 7 faults; nothing was changed\n")


def test_a_broken_load_balancer_is_not_called_missing() -> None:
    with pytest.raises(SettingsError) as caught:
        load(ha({"load-balancer": {"flavor": 3}}))
    assert [fault.path for fault in caught.value.faults] == ["load-balancer.flavor"]


@pytest.mark.parametrize("nothing", [None, 3, "demo", [], {}])
def test_something_else_than_settings_is_refused_in_words(nothing: object) -> None:
    with pytest.raises(SettingsError, match="reading nodewright:cluster"):
        load(nothing)


def test_a_password_in_the_settings_is_refused_without_being_shown() -> None:
    for url in ("http://bob:canary@proxy:3128", "ftp://bob:canary@proxy"):
        with pytest.raises(SettingsError) as caught:
            load(raw({"network.proxy": {"http": url}, "network.password": "canary"}))
        assert "canary" not in str(caught.value)


def every_section(base: type[Section] = Section) -> set[type[Section]]:
    return {base}.union(*(every_section(child) for child in base.__subclasses__()))


def test_every_setting_is_described() -> None:
    sections = every_section()
    assert len(sections) > 15
    for section in sections:
        for key, field in section.keys().items():
            assert field.description, f"{section.__name__}.{key}"
            assert field.description.endswith("."), f"{section.__name__}.{key}"
