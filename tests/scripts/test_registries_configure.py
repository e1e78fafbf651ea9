"""registries-configure against a real TLS server whose certificate and login a test chooses."""

import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from cluster.registries import Registry, render
from tests.scripts.rendering import step
from tests.scripts.sandbox import Sandbox

SERVER = "reg.example:5443"
FOLDER = "/etc/containerd/certs.d"
PASSWORD = "not-a-real-one"
ANSWER = """\
import base64, http.server, ssl
class Registry(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        good = "Basic " + base64.b64encode(b"bob:not-a-real-one").decode()
        self.send_response(200 if self.headers.get("Authorization") == good else 401)
        self.send_header("WWW-Authenticate", 'Basic realm="registry"')
        self.end_headers()
server = http.server.ThreadingHTTPServer(("", 5443), Registry)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("/srv/registry.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""


def certificates(*, expired: bool = False, name: str = "reg.example") -> tuple[str, str]:
    """A CA, and a certificate signed by it with its key."""
    now = datetime.now(UTC)
    ca_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a CA")])
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])

    def builder(whose: x509.Name, public: ec.EllipticCurvePublicKey, days: int) -> x509.CertificateBuilder:
        made = x509.CertificateBuilder().subject_name(whose).issuer_name(issuer).public_key(public)
        made = made.serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(days=9))
        return made.not_valid_after(now + timedelta(days=days))

    constraints = x509.BasicConstraints(ca=True, path_length=None)
    ca = builder(issuer, ca_key.public_key(), 9).add_extension(constraints, critical=True).sign(ca_key, SHA256())
    names = x509.SubjectAlternativeName([x509.DNSName(name)])
    signed = builder(subject, key.public_key(), -1 if expired else 9).add_extension(names, critical=False)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    own = signed.sign(ca_key, SHA256()).public_bytes(Encoding.PEM) + private
    return ca.public_bytes(Encoding.PEM).decode(), own.decode()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Sandbox]:
    with Sandbox(tmp_path, own_network=True) as made:
        made.shell("ip link set lo up; echo 127.0.0.1 localhost reg.example >/etc/hosts")
        yield made


def serve(machine: Sandbox, certificate: str) -> None:
    machine.write("/srv/registry.pem", certificate, "0600")
    machine.write("/srv/serve.py", ANSWER)
    machine.start("python3 /srv/serve.py")
    machine.shell("timeout 20 bash -c 'until </dev/tcp/127.0.0.1/5443; do sleep 0.1; done' 2>/dev/null")


def tell(machine: Sandbox, *registries: Registry) -> "subprocess.CompletedProcess[str]":
    return machine.run(step("registries-configure", REGISTRIES=render(registries)), "registries-configure")


def registry(ca: str, password: str = PASSWORD) -> Registry:
    return Registry(server=SERVER, https=True, ca=ca, mirror_of=("docker.io",), username="bob", password=password)


def test_files_are_written_once_and_go_with_the_registry(machine: Sandbox) -> None:
    ca, certificate = certificates()
    serve(machine, certificate)
    first = tell(machine, registry(ca))
    assert (first.stdout, first.returncode) == ("changed\n", 0), first.stderr
    assert 'server = "https://reg.example:5443"' in machine.shell(f"cat {FOLDER}/{SERVER}/hosts.toml")
    assert machine.shell(f"stat --format %a {FOLDER}/docker.io/hosts.toml") == "600\n"
    again = tell(machine, registry(ca))
    assert (again.stdout, again.returncode) == ("unchanged\n", 0), again.stderr
    assert tell(machine).stdout == "changed\n"
    assert machine.shell(f"find {FOLDER} -type f ! -name .nodewright") == ""
    assert tell(machine).stdout == "unchanged\n"


def test_files_of_others_are_left_alone(machine: Sandbox) -> None:
    machine.write(f"{FOLDER}/mine.example/hosts.toml", "# mine")
    tell(machine, Registry(server="own:5000", https=True, ca="", mirror_of=(), own=True))
    tell(machine)
    assert machine.shell(f"cat {FOLDER}/mine.example/hosts.toml") == "# mine\n"


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("password", "refuses the name or the password"),
        ("ca", "is not signed by the given CA"),
        ("expired", "its certificate has expired"),
        ("name", "its certificate is for another name"),
    ],
)
def test_what_is_wrong_is_said_and_no_file_is_changed(machine: Sandbox, fault: str, said: str) -> None:
    ca, certificate = certificates(expired=fault == "expired", name="x.example" if fault == "name" else "reg.example")
    serve(machine, certificate)
    trusted = certificates()[0] if fault == "ca" else ca
    password = "surely-wrong" if fault == "password" else PASSWORD
    done = tell(machine, registry(trusted, password))
    assert (done.stdout, done.returncode) == ("", 1), done.stderr
    assert said in done.stderr
    assert password not in done.stderr
    assert machine.shell(f"find {FOLDER} -type f 2>/dev/null || true") == ""


def test_a_registry_that_speaks_no_tls_is_told_apart(machine: Sandbox) -> None:
    machine.start("python3 -m http.server 5443")
    machine.shell("timeout 20 bash -c 'until </dev/tcp/127.0.0.1/5443; do sleep 0.1; done' 2>/dev/null")
    done = tell(machine, registry(certificates()[0]))
    assert done.returncode == 1
    assert "does not speak TLS there" in done.stderr


def test_one_that_is_down_is_mentioned_and_stops_nobody(machine: Sandbox) -> None:
    done = tell(machine, registry(certificates()[0]))
    assert (done.stdout, done.returncode) == ("changed\n", 0), done.stderr
    assert f"{SERVER} does not answer now" in done.stderr


def test_plain_http_is_tried_too(machine: Sandbox) -> None:
    machine.start("python3 -m http.server 5080")
    machine.shell("timeout 20 bash -c 'until </dev/tcp/127.0.0.1/5080; do sleep 0.1; done' 2>/dev/null")
    done = tell(machine, Registry(server="reg.example:5080", https=False, ca="", mirror_of=()))
    assert (done.stdout, done.returncode) == ("changed\n", 0), done.stderr
    assert "is it a registry?" in done.stderr
