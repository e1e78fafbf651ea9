"""Machines from the lab's public API and kubeadm over SSH: what a person would do without Nodewright."""

import contextlib
import secrets
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import openstack

POD_CIDR = "10.244.0.0/16"
NODE_CIDR = "10.20.0.0/24"
FLANNEL = Path(__file__).parents[2] / "manifests/cni/flannel.yaml"
ADMIN_KUBECONFIG = "/etc/kubernetes/admin.conf"

# A machine of the lab is a set of namespaces: version 1 cgroups, no disk of its own, sysctls that only the kernel's
# owner may set, and no crictl in the image.
KUBEADM_CONFIG = """\
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v{version}
controlPlaneEndpoint: {endpoint}:6443
dns: {{imageTag: v1.12.4}}
networking: {{podSubnet: {pod_cidr}, serviceSubnet: 10.96.0.0/16}}
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: cgroupfs
failCgroupV1: false
imageGCHighThresholdPercent: 100
evictionHard: {{nodefs.available: "0%", nodefs.inodesFree: "0%", imagefs.available: "0%"}}
---
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
conntrack: {{maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}}
"""
IGNORED_CHECKS = "--ignore-preflight-errors=SystemVerification,FileExisting-crictl"


def wait_for(timeout_s: float, what: str, test: Callable[[], bool]) -> None:
    deadline = time.monotonic() + timeout_s
    while not test():
        if time.monotonic() > deadline:
            message = f"waiting for {what}: not so after {timeout_s:.0f} s"
            raise AssertionError(message)
        time.sleep(0.5)


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A server that can be reached over SSH; its port and address outlive it."""

    name: str
    port_id: str
    address: str  # on the nodes' network
    floating_ip: str
    private_key: Path

    def run(self, command: str, stdin: str = "", timeout_s: float = 120) -> str:
        done = self._ssh(command, stdin, timeout_s)
        assert done.returncode == 0, f"{self.name}: {command}: {done.stdout}\n{done.stderr}"
        return done.stdout

    def answers(self) -> bool:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._ssh("cloud-init status --wait", "", 60).returncode == 0
        return False

    def kubectl(self, arguments: str, stdin: str = "") -> str:
        return self.run(f"sudo kubectl --kubeconfig {ADMIN_KUBECONFIG} {arguments}", stdin, timeout_s=300)

    def _ssh(self, command: str, stdin: str, timeout_s: float) -> subprocess.CompletedProcess[str]:
        options = ("StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "ConnectTimeout=3", "BatchMode=yes")
        return subprocess.run(
            [
                "ssh",
                "-q",
                "-i",
                str(self.private_key),
                *(word for option in options for word in ("-o", option)),
                f"debian@{self.floating_ip}",
                command,
            ],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )


class Site:
    """A network with machines on it, made through the API as any user would; all of it goes when the site closes."""

    def __init__(self, cloud: openstack.connection.Connection, name: str, folder: Path) -> None:
        self._cloud = cloud
        # An earlier run that lost its cloud half-way cannot have cleaned up: its names must not be in the way.
        self._name = f"{name}-{secrets.token_hex(3)}"
        self._private_key = folder / "key"
        self._cleanup = contextlib.ExitStack()
        self._servers: dict[str, str] = {}

    def __enter__(self) -> Self:
        try:
            self._make_network()
            self._make_security_group()
            self._make_key()
        except BaseException:
            self._cleanup.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        # All at once; the clean-up of each then only waits for its end.
        for server_id in self._servers.values():
            self._cloud.compute.delete_server(server_id, ignore_missing=True)
        self._cleanup.close()

    def reserve(self, name: str) -> Machine:
        """A port with a floating IP, for one server after another."""
        network = self._cloud.network
        port = network.create_port(name=name, network_id=self._network.id, security_group_ids=[self._security_group.id])
        self._cleanup.callback(network.delete_port, port.id)
        floating = network.create_ip(floating_network_id=self._public.id, port_id=port.id)
        self._cleanup.callback(network.delete_ip, floating.id)
        return Machine(
            name=name,
            port_id=port.id,
            address=port.fixed_ips[0]["ip_address"],
            floating_ip=floating.floating_ip_address,
            private_key=self._private_key,
        )

    def boot(self, machines: list[Machine], image: str) -> None:
        """Make all servers at once and wait until each can be used."""
        compute = self._cloud.compute
        image_id = self._cloud.image.find_image(image, ignore_missing=False).id
        flavor_id = compute.find_flavor("m1.medium", ignore_missing=False).id
        for machine in machines:
            server = compute.create_server(
                name=machine.name,
                image_id=image_id,
                flavor_id=flavor_id,
                key_name=self._name,
                networks=[{"port": machine.port_id}],
                config_drive=True,
            )
            self._servers[machine.name] = server.id
            self._cleanup.callback(self._delete_server, server.id)
        for machine in machines:
            self.wait_until_usable(machine, 300)

    def wait_until_usable(self, machine: Machine, timeout_s: float = 180) -> None:
        wait_for(timeout_s, f"{machine.name} to answer over SSH", machine.answers)
        # Nova hears of the port's wiring last; until then it takes no volume for the server.
        wait_for(60, f"{machine.name} to be ACTIVE", lambda: self.status(machine) == "ACTIVE")

    def delete(self, machine: Machine) -> None:
        self._delete_server(self._servers.pop(machine.name))

    def status(self, machine: Machine) -> str:
        return str(self._cloud.compute.get_server(self._servers[machine.name]).status)

    def port(self, machine: Machine) -> Any:
        return self._cloud.network.get_port(machine.port_id)

    def _delete_server(self, server_id: str) -> None:
        compute = self._cloud.compute
        compute.delete_server(server_id, ignore_missing=True)
        wait_for(60, "the server to be deleted", lambda: compute.find_server(server_id) is None)

    def _make_network(self) -> None:
        network = self._cloud.network
        self._public = network.find_network("public", ignore_missing=False)
        self._network = network.create_network(name=self._name)
        self._cleanup.callback(network.delete_network, self._network.id)
        subnet = network.create_subnet(
            name=self._name,
            network_id=self._network.id,
            ip_version=4,
            cidr=NODE_CIDR,
        )
        router = network.create_router(name=self._name, external_gateway_info={"network_id": self._public.id})
        self._cleanup.callback(network.delete_router, router.id)
        network.add_interface_to_router(router, subnet=subnet.id)
        self._cleanup.callback(network.remove_interface_from_router, router, subnet=subnet.id)

    def _make_security_group(self) -> None:
        network = self._cloud.network
        self._security_group = network.create_security_group(name=self._name)
        self._cleanup.callback(network.delete_security_group, self._security_group.id)
        rules: list[dict[str, object]] = [
            {"remote_group_id": self._security_group.id},
            {"protocol": "tcp", "port_range_min": 22, "port_range_max": 22},
        ]
        for rule in rules:
            network.create_security_group_rule(
                security_group_id=self._security_group.id, direction="ingress", ethertype="IPv4", **rule
            )

    def _make_key(self) -> None:
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self._private_key)], check=True)
        public_key = self._private_key.with_suffix(".pub").read_text()
        self._cloud.compute.create_keypair(name=self._name, public_key=public_key)
        self._cleanup.callback(self._cloud.compute.delete_keypair, self._name)


class Cluster:
    """A control plane and workers, made with kubeadm's own commands."""

    def __init__(self, control_plane: Machine, workers: list[Machine], version: str) -> None:
        self.control_plane = control_plane
        self.workers = workers
        self._version = version

    def create(self) -> None:
        config = KUBEADM_CONFIG.format(version=self._version, endpoint=self.control_plane.address, pod_cidr=POD_CIDR)
        self.control_plane.run("sudo tee /root/kubeadm.yaml >/dev/null", stdin=config)
        self.control_plane.run(f"sudo kubeadm init --config /root/kubeadm.yaml {IGNORED_CHECKS}", timeout_s=300)
        self.control_plane.kubectl("apply -f -", stdin=FLANNEL.read_text().replace("@POD_CIDR@", POD_CIDR))
        with ThreadPoolExecutor(len(self.workers)) as at_once:
            list(at_once.map(self.join, self.workers))

    def join(self, worker: Machine) -> None:
        command = self.control_plane.run("sudo kubeadm token create --print-join-command").strip()
        worker.run(f"sudo {command} {IGNORED_CHECKS}", timeout_s=300)

    def ready_nodes(self) -> set[str]:
        """Names of the nodes that say they are Ready."""
        condition = '{range .items[*]}{.metadata.name}={.status.conditions[?(@.type=="Ready")].status} {end}'
        states = self.control_plane.kubectl(f"get nodes -o jsonpath='{condition}'").split()
        return {state.removesuffix("=True") for state in states if state.endswith("=True")}

    def pods(self, selector: str) -> Iterator[tuple[str, str, str]]:
        """Name, node and address of each running pod with these labels."""
        fields = "{range .items[*]}{.metadata.name} {.spec.nodeName} {.status.podIP}\n{end}"
        lines = self.control_plane.kubectl(
            f"get pods -l {selector} --field-selector status.phase=Running -o jsonpath='{fields}'"
        )
        for line in lines.splitlines():
            name, node, address = line.split()
            yield name, node, address
