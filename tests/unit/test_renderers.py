"""What the rendered texts say to the programs that read them."""

import yaml

from cluster import haproxy, kubeadm, user_data
from cluster.haproxy import Member
from cluster.keys import host_key
from cluster.settings import load
from tests.examples import planned, raw


def test_no_member_behind_a_service_is_a_sound_configuration() -> None:
    services = load(raw({"load-balancer.services": [{"name": "w", "port": 80, "node-port": 30080}]})).load_balancer
    assert services
    text = haproxy.render(control_planes=[], workers=[], services=services.services)
    assert "backend service-w\n" in text
    assert "  server " not in text


def test_members_keep_the_order_of_the_plan() -> None:
    text = haproxy.render(control_planes=[Member(key="b", address="2"), Member(key="a", address="1")])
    assert text.index("server b 2:6443") < text.index("server a 1:6443")


def test_no_secret_is_in_what_a_machine_joins_with() -> None:
    settings, node = load(raw()), planned(raw()).node("worker-0")
    (document,) = yaml.safe_load_all(kubeadm.join_config(settings, node, address="10.20.0.11"))
    assert not {"discovery", "controlPlane"} & document.keys()


def test_the_last_override_of_a_kind_stands() -> None:
    overrides = [{"kind": "KubeletConfiguration", "maxPods": number} for number in (50, 60)]
    settings = load(raw({"kubernetes.kubeadm-overrides": overrides}))
    node = planned(raw()).node("control-plane-0")
    documents = yaml.safe_load_all(kubeadm.init_config(settings, node, address="a", endpoint="e"))
    kubelet = next(document for document in documents if document["kind"] == "KubeletConfiguration")
    assert kubelet["maxPods"] == 60


def test_a_machine_gets_its_host_key_as_openssh_wrote_it() -> None:
    key = host_key("a secret of at least thirty-two characters", "worker-0")
    text = user_data.render(node_key="worker-0", user="debian", host_key=key, authorized_keys=[])
    assert text.startswith("#cloud-config\n")
    assert yaml.safe_load(text)["ssh_keys"] == {"ed25519_private": key.private, "ed25519_public": key.public}
