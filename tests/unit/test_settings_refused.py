"""Bad settings: each is refused at its path, with what to write instead."""

from typing import Any

import pytest

from cluster.settings import SettingsError, load
from tests.examples import PUBLIC_KEY, REMOVED, ha, raw

KUBELET = {"kind": "KubeletConfiguration"}
STORAGE = {"flavor": "s", "volumes": [{"name": "data", "size-gib": 5, "mount-to": "/volume"}]}
REGISTRY = {"flavor": "s", "volume-gib": 5}

# (changes to the small example, path of the fault, part of the remedy)
BAD: list[tuple[dict[str, Any], str, str]] = [
    # names
    ({"name": "Demo"}, "name", "lower-case"),
    ({"name": "9lives"}, "name", "starts with a letter"),
    ({"name": "x" * 41}, "name", "at most 40"),
    ({"name": 7}, "name", "in quotes"),
    ({"name": REMOVED}, "name", "add it"),
    ({"workers.control-plane": {"count": 1, "flavor": "f"}}, "workers.control-plane", "another name, like worker"),
    ({"workers.Big": {"count": 1, "flavor": "f"}}, "workers.Big", "lower-case"),
    # keys
    ({"control_plane": {}}, "control_plane", "did you mean control-plane?"),
    ({"kubernetes.pod_cidr": "10.1.0.0/16"}, "kubernetes.pod_cidr", "did you mean pod-cidr?"),
    ({"workers.worker.zzz": 1}, "workers.worker.zzz", "use one of"),
    (
        {"load-balancer.services": [{"name": "w", "port": 80, "nodeport": 30080}]},
        "load-balancer.services.0.nodeport",
        "node-port?",
    ),
    # counts and numbers
    ({"workers.worker.count": -1}, "workers.worker.count", "give 0 or more"),
    ({"workers.worker.count": "3"}, "workers.worker.count", "without quotes"),
    ({"workers.worker.count": 1.5}, "workers.worker.count", "whole number"),
    ({"workers.worker.count": 501}, "workers.worker.count", "500 or less"),
    ({"workers.worker.count": REMOVED}, "workers.worker.count", "How many machines"),
    ({"workers": ["worker"]}, "workers", "mapping of keys"),
    ({"control-plane.count": 2}, "control-plane.count", "give 1, 3 or 5"),
    ({"control-plane.count": 4}, "control-plane.count", "give 1, 3 or 5"),
    ({"control-plane.count": 7}, "control-plane.count", "5 or less"),
    ({"generation": -1}, "generation", "give 0 or more"),
    ({"workers.worker.max-unavailable": 0}, "workers.worker.max-unavailable", "give 1 or more"),
    ({"workers.worker.max-unavailable": 2}, "workers.worker.max-unavailable", "give at most 1"),
    ({"parallel.joins": 0}, "parallel.joins", "give 1 or more"),
    # control plane
    ({"control-plane.volume-gib": REMOVED}, "control-plane.volume-gib", "give a size like 10"),
    ({"control-plane.volume-gib": 0}, "control-plane.volume-gib", "give 1 or more"),
    ({"control-plane.image": ""}, "control-plane.image", "as the cloud shows it"),
    ({"control-plane.spread": "apart"}, "control-plane.spread", "'anti-affinity', 'soft-anti-affinity' or 'none'"),
    # names in without and heal
    ({"workers.worker.without": ["worker-x"]}, "workers.worker.without", "worker-0, worker-1"),
    ({"workers.worker.without": ["worker-1", "worker-1"]}, "workers.worker.without", "once is enough"),
    ({"workers.worker.heal": {"worker-2": 1}}, "workers.worker.heal.worker-2", "worker-0 to worker-1"),
    ({"workers.worker.heal": {"worker-0": 0}}, "workers.worker.heal.worker-0", "give 1 or more"),
    ({"control-plane.heal": {"control-plane-1": 1}}, "control-plane.heal.control-plane-1", "it has control-plane-0"),
    ({"load-balancer.heal": {"lb": 1}}, "load-balancer.heal.lb", "it has load-balancer"),
    # labels and taints
    ({"workers.worker.labels": {"-x": "y"}}, "workers.worker.labels", "use letters, digits"),
    ({"workers.worker.labels": {"x": "a b"}}, "workers.worker.labels", "use letters, digits"),
    ({"workers.worker.labels": {"gpu": True}}, "workers.worker.labels.gpu", "in quotes"),
    (
        {"workers.worker.labels": {"nodewright.dev/pool": "x"}},
        "workers.worker.labels.nodewright.dev/pool",
        "take another",
    ),
    ({"workers.worker.taints": ["gpu"]}, "workers.worker.taints.0", "key=value:effect"),
    ({"workers.worker.taints": ["a=b:NoRun"]}, "workers.worker.taints.0", "NoSchedule"),
    ({"workers.worker.taints": ["a=1:NoExecute", "a=2:NoExecute"]}, "workers.worker.taints", "one value"),
    # networks
    ({"network.cidr": "10.20.0.0"}, "network.cidr", "10.20.0.0/32"),
    ({"network.cidr": "10.20.0.7/24"}, "network.cidr", "did you mean 10.20.0.0/24?"),
    ({"network.cidr": "fd00::/64"}, "network.cidr", "IPv4 network"),
    ({"network.cidr": "10.20.0.0/29"}, "network.cidr", "room for 3 of 4 machines"),
    ({"network.cidr": "169.254.0.0/16"}, "network.cidr", "private range"),
    ({"network.cidr": REMOVED}, "network.cidr", "name an existing network"),
    ({"network.network": "lan", "network.subnet": "lan"}, "network.cidr", "keep cidr for a new network"),
    ({"network": {"network": "lan", "external": "public"}}, "network.subnet", "that belongs to the existing network"),
    ({"network": {"subnet": "lan", "external": "public"}}, "network.network", "that belongs to the existing subnet"),
    ({"network.dns-servers": ["one.one"]}, "network.dns-servers.0", "IPv4 address"),
    ({"kubernetes.pod-cidr": "10.20.0.0/16"}, "kubernetes.pod-cidr", "no address in common"),
    ({"kubernetes.service-cidr": "10.244.0.0/20"}, "kubernetes.service-cidr", "overlaps kubernetes.pod-cidr"),
    ({"kubernetes.pod-cidr": "10.244.0.0/23"}, "kubernetes.pod-cidr", "room for 2 of 3 nodes"),
    ({"kubernetes.service-cidr": "10.96.0.0/30"}, "kubernetes.service-cidr", "from /12 to /24"),
    # kubernetes
    ({"kubernetes.version": "v1.34.3"}, "kubernetes.version", "no 'v'"),
    ({"kubernetes.version": "1.34"}, "kubernetes.version", "all three numbers"),
    ({"kubernetes.version": 1.34}, "kubernetes.version", "all three numbers"),
    ({"kubernetes.version": "1.27.9"}, "kubernetes.version", "1.31.0 or a newer"),
    ({"kubernetes.cni": "calico"}, "kubernetes.cni", "ends with .yaml"),
    ({"kubernetes.cni": "/etc/cni.yaml"}, "kubernetes.cni", "inside the project"),
    (
        {"kubernetes.kubeadm-overrides": [{"kind": "Node"}]},
        "kubernetes.kubeadm-overrides.0.kind",
        "KubeletConfiguration",
    ),
    (
        {"kubernetes.kubeadm-overrides": [{**KUBELET, "apiVersion": "v1"}]},
        "kubernetes.kubeadm-overrides.0.apiVersion",
        "or leave it out",
    ),
    (
        {"kubernetes.kubeadm-overrides": [{"kind": "ClusterConfiguration", "networking": {"podSubnet": "10.0.0.0/8"}}]},
        "kubernetes.kubeadm-overrides.0.networking.podSubnet",
        "use kubernetes.pod-cidr",
    ),
    ({"installer": "ansible"}, "installer", "'kubeadm'"),
    ({"installer": "kubespray"}, "installer", "not supported yet"),
    ({"installer": "cluster-api"}, "installer", "not supported yet"),
    # reach
    ({"load-balancer": REMOVED, "access.bastion": "load-balancer"}, "access.bastion", "add a load-balancer section"),
    ({"network.external": REMOVED}, "network.external", "name the external network"),
    ({"network.external": REMOVED, "access.floating-ips": True}, "network.external", "every machine its floating IP"),
    ({"access.floating-ips": "yes"}, "access.floating-ips", "true or false"),
    ({"access.user": "root"}, "access.user", "debian or ubuntu"),
    ({"access.user": "a b"}, "access.user", "Linux user name"),
    ({"access.authorized-keys": ["AAAA"]}, "access.authorized-keys.0", ".pub file"),
    ({"access.authorized-keys": ["ssh-ed25519 AAAA!"]}, "access.authorized-keys.0", "copy the whole line"),
    (
        {"access.authorized-keys": ["-----BEGIN OPENSSH PRIVATE KEY-----"]},
        "access.authorized-keys.0",
        "give the public one",
    ),
    ({"access.authorized-keys": [PUBLIC_KEY, PUBLIC_KEY]}, "access.authorized-keys", "keep one"),
    ({"network.proxy": {}}, "network.proxy", "give http, https or both"),
    ({"network.proxy": {"http": "proxy:3128"}}, "network.proxy.http", "http://proxy.example:3128"),
    ({"network.proxy": {"http": "http://bob:pw@proxy"}}, "network.proxy.http", "without them"),
    ({"network.proxy": {"http": "http://p", "no-proxy": ["a,b"]}}, "network.proxy.no-proxy.0", "per entry"),
    ({"security.ssh-allowed-cidrs": []}, "security.ssh-allowed-cidrs", "locks this program out"),
    ({"security.api-allowed-cidrs": ["everyone"]}, "security.api-allowed-cidrs.0", "IPv4 network"),
    # drain
    ({"drain": {"policy": "never"}}, "drain.policy", "'fail', 'force' or 'skip'"),
    ({"drain": {"grace-s": 300}}, "drain.timeout-s", "give at least 301"),
    ({"workers.worker.drain": {"timeout-s": 30}}, "workers.worker.drain.timeout-s", "give at least 61"),
    # load balancer
    (
        {"load-balancer.services": [{"name": "w", "port": 6443, "node-port": 30080}]},
        "load-balancer.services.0.port",
        "Kubernetes API",
    ),
    (
        {"load-balancer.services": [{"name": "w", "port": 80, "node-port": 80}]},
        "load-balancer.services.0.node-port",
        "30000 or more",
    ),
    (
        {
            "load-balancer.services": [
                {"name": "a", "port": 80, "node-port": 30080},
                {"name": "b", "port": 80, "node-port": 30081},
            ]
        },
        "load-balancer.services.1.port",
        "take another",
    ),
    # registries
    ({"registries": [{"server": "reg example"}]}, "registries.0.server", "reg.example:5000"),
    ({"registries": [{"server": "r:5000"}, {"server": "r:5000"}]}, "registries.1.server", "keep one"),
    (
        {"registries": [{"server": "r", "connection": "http", "certificate": "ca.pem"}]},
        "registries.0.certificate",
        "https",
    ),
    ({"registries": [{"server": "r", "hosts": "reg.example"}]}, "registries.0.hosts", "address and a name"),
    (
        {"registries": [{"server": "r", "pull-secrets": [{"namespace": "a"}]}]},
        "registries.0.pull-secrets",
        "give username",
    ),
    (
        {"registries": [{"server": "r", "username": "bob", "pull-secrets": [{"namespace": "a"}, {"namespace": "a"}]}]},
        "registries.0.pull-secrets.1",
        "keep one",
    ),
    (
        {"registry": REGISTRY, "registries": [{"server": "registry.demo.internal:5000"}]},
        "registries.0.server",
        "the cluster's own",
    ),
    ({"registry": {**REGISTRY, "tls": "own"}}, "registry.certificate", "set tls to cluster-ca"),
    ({"registry": {**REGISTRY, "port": 70000}}, "registry.port", "65535 or less"),
    ({"registry": {**REGISTRY, "archive": "registry.tar"}}, "registry.archive", "a file inside the project"),
    ({"registry": {**REGISTRY, "archive": "/srv/registry.tar"}}, "registry.archive", "inside the project"),
    # storage
    ({"storage": {**STORAGE, "volumes": []}}, "storage.volumes", "at least 1"),
    (
        {"storage": {**STORAGE, "volumes": [{"name": "d", "size-gib": 1, "mount-to": "/etc/x"}]}},
        "storage.volumes.0.mount-to",
        "/volume",
    ),
    (
        {"storage": {**STORAGE, "volumes": [{"name": "d", "size-gib": 1, "mount-to": "volume/"}]}},
        "storage.volumes.0.mount-to",
        "absolute",
    ),
    (
        {"storage": {**STORAGE, "exports": [{"directory": "/srv", "to": "10.20.0.0/24"}]}},
        "storage.exports.0.directory",
        "inside of /volume",
    ),
    ({"storage": {**STORAGE, "persistent-volumes": ["pv.txt"]}}, "storage.persistent-volumes.0", "ends with .yaml"),
    (
        {"storage": {**STORAGE, "persistent-volumes": [{"name": "a", "size-gib": 1, "path": "/volume/a"}]}},
        "storage.persistent-volumes.0.path",
        "add it to storage.exports",
    ),
]


def test_there_are_at_least_sixty_cases() -> None:
    assert len(BAD) >= 60


@pytest.mark.parametrize(
    ("changes", "path", "remedy"), BAD, ids=[f"{place}-{case[1]}" for place, case in enumerate(BAD)]
)
def test_bad_setting_is_refused_at_its_path_with_a_remedy(changes: dict[str, Any], path: str, remedy: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load(raw(changes))
    texts = [fault.text for fault in caught.value.faults if fault.path == path]
    assert any(remedy in text for text in texts), str(caught.value)


def test_three_control_planes_need_a_load_balancer() -> None:
    with pytest.raises(SettingsError, match="load-balancer: is missing; add it"):
        load(ha({"load-balancer": REMOVED}))


def test_a_fault_is_said_once() -> None:
    """A following fault for the same mistake would send the reader to the wrong place."""
    for changes, path, _ in BAD:
        with pytest.raises(SettingsError) as caught:
            load(raw(changes))
        paths = [fault.path for fault in caught.value.faults if not fault.text.startswith("not supported yet")]
        assert len(set(paths)) <= 2, f"{path}: {caught.value}"
