"""Certificates of a CA that nobody knows."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Certificates:
    """A CA, a certificate signed by it, and its key, all as PEM."""

    ca: str
    certificate: str
    key: str


def make_certificates(name: str, *, expired: bool = False) -> Certificates:
    now = datetime.now(UTC)
    ca_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"CA of {name}")])
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])

    def builder(whose: x509.Name, public_key: ec.EllipticCurvePublicKey, until: datetime) -> x509.CertificateBuilder:
        made = x509.CertificateBuilder().subject_name(whose).issuer_name(issuer).public_key(public_key)
        made = made.serial_number(x509.random_serial_number())
        return made.not_valid_before(now - timedelta(days=9)).not_valid_after(until)

    authority = builder(issuer, ca_key.public_key(), now + timedelta(days=9))
    ca = authority.add_extension(x509.BasicConstraints(True, None), True).sign(ca_key, SHA256())
    until = now + timedelta(days=-1 if expired else 9)
    names = x509.SubjectAlternativeName([x509.DNSName(name)])
    certificate = builder(subject, key.public_key(), until).add_extension(names, False).sign(ca_key, SHA256())
    return Certificates(
        ca=ca.public_bytes(Encoding.PEM).decode(),
        certificate=certificate.public_bytes(Encoding.PEM).decode(),
        key=key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
    )
