"""What machines are given, as text: each file under files/ was read by a person."""

from collections.abc import Callable
from typing import Any

import pytest

from cluster import haproxy, kubeadm, user_data
from cluster.haproxy import Member
from cluster.keys import SshKey
from cluster.settings import load
from tests.examples import PUBLIC_KEY, ha, planned, raw

Golden = Callable[[str, str], None]
SERVICES = [{"name": "web", "port": 80, "node-port": 30080}, {"name": "tls", "port": 443, "node-port": 30443}]
LAB_OVERRIDES: list[dict[str, Any]] = [
    {
        "kind": "ClusterConfiguration",
        "dns": {"imageTag": "v1.12.4"},
        "apiServer": {"extraArgs": [{"name": "v", "value": "2"}]},
    },
    {"kind": "KubeletConfiguration", "cgroupDriver": "cgroupfs", "evictionHard": {"nodefs.available": "0%"}},
    {"kind": "KubeProxyConfiguration", "mode": "nftables"},
    {"kind": "JoinConfiguration", "nodeRegistration": {"imagePullSerial": False}},
]


def members(*keys: str) -> list[Member]:
    return [Member(key=key, address=f"10.20.0.{10 + place}") for place, key in enumerate(keys)]


def test_haproxy_in_front_of_three_masters_and_two_services(golden: Golden) -> None:
    settings = load(ha({"load-balancer.services": SERVICES}))
    assert settings.load_balancer
    text = haproxy.render(
        control_planes=members("control-plane-0", "control-plane-1", "control-plane-2"),
        workers=members("worker-0", "worker-2"),
        services=settings.load_balancer.services,
    )
    golden("haproxy-ha.cfg", text)


def test_haproxy_in_front_of_one_master(golden: Golden) -> None:
    golden("haproxy-small.cfg", haproxy.render(control_planes=members("control-plane-0")))


def test_kubeadm_of_the_first_control_plane(golden: Golden) -> None:
    settings, plan = load(raw()), planned(raw())
    text = kubeadm.init_config(
        settings,
        plan.node("control-plane-0"),
        address="10.20.0.10",
        endpoint="10.20.0.5",
        certificate_names=["172.24.4.20", "10.20.0.5"],
    )
    golden("kubeadm-init.yaml", text)


def test_kubeadm_with_overrides_of_every_kind(golden: Golden) -> None:
    changes = {"kubernetes.kubeadm-overrides": LAB_OVERRIDES, "control-plane.taints": []}
    settings, plan = load(raw(changes)), planned(raw(changes))
    node = plan.node("control-plane-0")
    golden(
        "kubeadm-init-overrides.yaml", kubeadm.init_config(settings, node, address="10.20.0.10", endpoint="10.20.0.5")
    )
    golden("kubeadm-join-overrides.yaml", kubeadm.join_config(settings, node, address="10.20.0.10"))


@pytest.mark.parametrize("key", ["control-plane-1", "worker-0"])
def test_kubeadm_of_a_machine_that_joins(golden: Golden, key: str) -> None:
    changes = {"workers.worker.taints": ["gpu=a100:NoSchedule", "old:PreferNoSchedule"]}
    node = planned(ha(changes)).node(key)
    golden(f"kubeadm-join-{key}.yaml", kubeadm.join_config(load(ha(changes)), node, address="10.20.0.21"))


def test_user_data_of_a_machine(golden: Golden) -> None:
    text = user_data.render(
        node_key="worker-0",
        user="debian",
        host_key=SshKey(private="the private key\nin its lines\n", public="ssh-ed25519 AAAA worker-0"),
        authorized_keys=["ssh-ed25519 BBBB nodewright", PUBLIC_KEY],
    )
    golden("user-data.yaml", text)
