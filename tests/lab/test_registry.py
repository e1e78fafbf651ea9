"""Images come from a registry of the cluster's own and from others, and go on doing so whatever is replaced."""

from collections.abc import Iterator

import pytest

from tests.lab.certificates import make_certificates
from tests.lab.conftest import Lab
from tests.lab.data_cluster import DataCluster
from tests.lab.kubeadm_by_hand import wait_for
from tests.lab.lab_stack import Run
from tests.lab.registry_images import forget, pod, push, server

pytestmark = [
    pytest.mark.lab,
    pytest.mark.long,
    pytest.mark.filterwarnings("ignore:::openstack"),
]  # it warns of its own future

FOREIGN = "foreign.example:5443"
RIGHT, WRONG = "open-sesame", "open-barley"


@pytest.fixture(scope="module")
def registry(data_cluster: DataCluster) -> Iterator[DataCluster]:
    yield data_cluster
    data_cluster.kubectl("delete", "pods", "--selector=part=registry-test", "--ignore-not-found", "--timeout=90s")


def run_everywhere(cluster: DataCluster, repository: str, *nodes: str) -> None:
    names = {f"{repository}-{node}": node for node in nodes}
    cluster.apply(*(pod(name, f"{server(cluster)}/{repository}:v1", node) for name, node in names.items()))
    cluster.wait_for_pods(*names)


def test_an_image_that_was_pushed_runs_on_every_node(registry: DataCluster) -> None:
    assert "pushed" in push(registry, "first")
    run_everywhere(registry, "first", "control-plane-0", "worker-0")


def test_nobody_gets_in_without_the_login(registry: DataCluster) -> None:
    assert "401" in push(registry, "second", check=False, password="wrong")


def test_who_does_not_trust_the_ca_gets_no_further(registry: DataCluster) -> None:
    assert "CERTIFICATE_VERIFY_FAILED" in push(registry, "second", check=False, ca="")


def test_the_cluster_names_its_registry(registry: DataCluster) -> None:
    shown = registry.kubectl("--namespace=kube-public", "get", "configmap", "local-registry-hosting", "--output=yaml")
    assert server(registry) in shown


def test_a_second_up_changes_nothing(registry: DataCluster) -> None:
    run = registry.up("--expect-no-changes")
    assert run.ok, run.output


def test_passwords_are_in_no_output_and_on_no_command_line(registry: DataCluster) -> None:
    password = registry.outputs()["registry"]["password"]
    assert password not in registry.preview().output
    assert password not in registry.run_on("registry", "sudo journalctl --no-pager | cat; sudo cat /proc/*/cmdline")


def test_steps_run_twice_say_unchanged(registry: DataCluster) -> None:
    for step in ("registry-configure", "worker-0-registries", "control-plane-0-registries"):
        assert registry.again(step) == "unchanged", step


@pytest.mark.parametrize("dead", [False, True], ids=["alive", "killed"])
def test_heal_keeps_images_address_and_certificate(registry: DataCluster, lab: Lab, dead: bool) -> None:
    old = registry.server_id("registry")
    certificate = registry.run_on("registry", "sudo cat /etc/nodewright/registry/tls.crt")
    before = registry.outputs()["nodes"]["registry"]["address"]
    if dead:
        lab("fault", "kill", old)
    number = registry.settings["registry"].get("heal", {}).get("registry", 0) + 1
    registry.change({"registry.heal": {"registry": number}})
    run = registry.must_up()
    assert registry.server_id("registry") != old
    assert registry.outputs()["nodes"]["registry"]["address"] == before
    assert registry.run_on("registry", "sudo cat /etc/nodewright/registry/tls.crt") == certificate
    assert not run.touched("worker-0", "control-plane-0", "registry-images ")
    registry.kubectl("delete", "pods", "--selector=part=registry-test", "--timeout=90s")
    forget(registry, "first", "control-plane-0", "worker-0")
    run_everywhere(registry, "first", "control-plane-0", "worker-0")


def test_a_node_that_is_added_pulls_and_mounts_too(registry: DataCluster) -> None:
    registry.change({"workers.worker.count": 2})
    run = registry.must_up()
    assert not run.touched("storage", "registry-configure", "worker-0-")
    run_everywhere(registry, "first", "worker-1")
    exported = f"{registry.outputs()['nodes']['storage']['address']}:/volume/nfs"
    mounted = f"sudo mount -t nfs -o nfsvers=4.1 {exported} /mnt && sudo ls /mnt && sudo umount /mnt"
    assert "shared" in registry.run_on("worker-1", mounted)
    registry.kubectl("delete", "pod", "first-worker-1", "--timeout=90s")
    registry.change({"workers.worker.count": 1})
    run = registry.must_up()
    assert not run.touched("storage", "registry-configure", "worker-0-")


def test_read_only_refuses_pushes_and_a_collection_gives_space_back(registry: DataCluster) -> None:
    push(registry, "garbage")
    push(registry, "garbage")  # the first one's layer belongs to no tag any more
    registry.change({"registry.read-only": True})
    registry.must_up()
    assert "405" in push(registry, "second", check=False)
    registry.change({"registry.read-only": False, "registry.collect": 1})
    run = registry.must_up()
    assert "MiB before" in run.output
    assert "pushed" in push(registry, "second")


# --- registries of others: played by a program on a worker's machine ---

ANSWER = """\
import base64, http.server, ssl, sys
class Registry(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        good = "Basic " + base64.b64encode(b"bob:PASSWORD").decode()
        self.send_response(200 if self.headers.get("Authorization") == good else 401)
        self.send_header("WWW-Authenticate", 'Basic realm="foreign"')
        self.end_headers()
server = http.server.ThreadingHTTPServer(("", 5443), Registry)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("/tmp/foreign/crt", "/tmp/foreign/key")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""


class Foreign:
    """A registry of somebody else on the cluster's network, whose certificate a test chooses."""

    def __init__(self, cluster: DataCluster) -> None:
        self._cluster = cluster
        self.address = cluster.outputs()["nodes"]["worker-0"]["address"]

    def start(self, *, expired: bool = False) -> str:
        """Show a certificate signed by a new CA; give the CA."""
        self.stop()
        made = make_certificates("foreign.example", expired=expired)
        files = {"crt": made.certificate, "key": made.key, "serve.py": ANSWER.replace("PASSWORD", RIGHT)}
        self._cluster.run_on("worker-0", "mkdir -p /tmp/foreign")
        for name, text in files.items():
            self._cluster.run_on("worker-0", f"cat >/tmp/foreign/{name}", text)
        self._cluster.run_on(
            "worker-0", "sudo systemd-run --quiet --collect --unit foreign python3 /tmp/foreign/serve.py"
        )
        answers = "timeout 20 sh -c 'until curl -ksS -o /dev/null https://127.0.0.1:5443/; do sleep 0.3; done'"
        self._cluster.run_on("worker-0", answers)
        return made.ca

    def stop(self) -> None:
        self._cluster.run_on("worker-0", "sudo systemctl stop foreign 2>/dev/null || true")


@pytest.fixture(scope="module")
def foreign(registry: DataCluster) -> Iterator[Foreign]:
    made = Foreign(registry)
    yield made
    made.stop()
    registry.change({"registries": None})


def told_of(cluster: DataCluster, foreign: Foreign, ca: str, password: str = RIGHT) -> Run:
    cluster.set_password(f"registry/{FOREIGN}", password)
    entry = {
        "server": FOREIGN,
        "username": "bob",
        "certificate": cluster.write_certificate(ca),
        "hosts": f"{foreign.address} foreign.example",
        "mirror-of": ["mirrored.example"],
        "pull-secrets": [{"namespace": "default"}],
    }
    cluster.change({"registries": [entry]})
    return cluster.up()


def files(cluster: DataCluster, node: str) -> str:
    return cluster.run_on(node, "sudo sh -c 'cat /etc/containerd/certs.d/*/*'")


def uptimes(cluster: DataCluster) -> str:
    """When every container of the cluster and containerd itself began."""
    wanted = "{range .items[*]}{.metadata.name} {.status.containerStatuses[*].restartCount} "
    wanted += "{.status.containerStatuses[*].state.running.startedAt}{'\\n'}{end}"
    pods = cluster.kubectl("get", "pods", "--all-namespaces", f"--output=jsonpath={wanted}")
    nodes = ("control-plane-0", "worker-0")
    asked = "systemctl show containerd kubelet --property=ActiveEnterTimestampMonotonic"
    return pods + "".join(cluster.run_on(node, asked) for node in nodes)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("password", "refuses the name or the password"),
        ("ca", "is not signed by the given CA"),
        ("expired", "its certificate has expired"),
    ],
)
def test_what_is_wrong_with_a_registry_is_said_and_nothing_is_changed(
    registry: DataCluster, foreign: Foreign, fault: str, said: str
) -> None:
    ca = foreign.start(expired=fault == "expired")
    before = files(registry, "worker-0")
    if fault == "ca":
        foreign.start()
    run = told_of(registry, foreign, ca, WRONG if fault == "password" else RIGHT)
    registry.change({"registries": None})
    assert not run.ok
    assert said in run.output
    assert files(registry, "worker-0") == before
    assert RIGHT not in run.output
    assert WRONG not in run.output


def test_a_registry_that_is_down_stops_nobody(registry: DataCluster, foreign: Foreign) -> None:
    ca = foreign.start()
    foreign.stop()
    run = told_of(registry, foreign, ca)
    assert run.ok, run.output
    assert f"{FOREIGN} does not answer now" in run.output


def test_a_change_of_the_list_reaches_all_nodes_and_restarts_nothing(registry: DataCluster, foreign: Foreign) -> None:
    before = uptimes(registry)
    run = told_of(registry, foreign, foreign.start())
    assert run.ok, run.output
    for node in ("control-plane-0", "worker-0"):
        assert FOREIGN in files(registry, node)
        assert "foreign.example" in registry.run_on(node, "cat /etc/hosts")
    assert uptimes(registry) == before
    accounts = registry.kubectl("get", "serviceaccount", "default", "--output=jsonpath={.imagePullSecrets[*].name}")
    assert sorted(accounts.split()) == ["registry-foreign.example-5443", "registry-registry.storage.internal-5000"]


def test_a_registry_that_leaves_the_list_leaves_the_nodes(registry: DataCluster, foreign: Foreign) -> None:
    before = uptimes(registry)
    registry.change({"registries": None})
    registry.must_up()
    for node in ("control-plane-0", "worker-0"):
        assert "foreign" not in files(registry, node)
        assert "foreign.example" not in registry.run_on(node, "cat /etc/hosts")
    assert uptimes(registry) == before


def test_a_cluster_forgets_nothing_when_its_registry_is_down(registry: DataCluster, lab: Lab) -> None:
    registry.run_on("registry", "sudo systemctl stop docker-registry")
    registry.apply(pod("second-worker-0", f"{server(registry)}/second:v1", "worker-0"))
    wanted = "--output=jsonpath={.status.containerStatuses[0].state.waiting.reason}"
    reasons = {"ErrImagePull", "ImagePullBackOff"}
    wait_for(60, "the pull to fail", lambda: registry.kubectl("get", "pod", "second-worker-0", wanted) in reasons)
    registry.run_on("registry", "sudo systemctl start docker-registry")
    registry.wait_for_pods("second-worker-0", timeout_s=180)
