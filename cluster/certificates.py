"""A CA of the cluster's own and certificates signed by it: the same ones in every run, kept nowhere."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import IPv4Address

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from cluster.keys import expand

CURVE_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
# More bytes than the curve needs, so that no private key is likelier than another.
SCALAR_BYTES = 48
SERIAL_BYTES = 16
# Fixed, because a date of today would change the certificate in every run. A new key is one number in the settings.
NOT_BEFORE = datetime(2025, 1, 1, tzinfo=UTC)
NOT_AFTER = datetime(2055, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """A certificate and its key in PEM form; the key shows in no repr."""

    certificate: str
    key: str = field(repr=False)


def registry_ca(secret: str, cluster: str) -> str:
    """Make the certificate of the CA that signs the registry's."""
    key = _key(secret, "registry-ca")
    name = _name(f"registry CA of the cluster {cluster}")
    builder = (
        _builder(secret, "registry-ca", name, name, key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    return _sign(builder, key)


def registry_certificate(secret: str, cluster: str, host: str, address: str, generation: int) -> Certificate:
    """Make the registry's certificate; the generation is what a new key comes with."""
    ca_key = _key(secret, "registry-ca")
    purpose = f"registry/{generation}"
    key = _key(secret, purpose)
    issuer = _name(f"registry CA of the cluster {cluster}")
    names: list[x509.GeneralName] = [x509.DNSName(host), x509.IPAddress(IPv4Address(address))]
    builder = (
        # The serial follows from what is certified, so two different certificates never share one.
        _builder(secret, f"{purpose}/{host}/{address}", _name(host), issuer, key)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False)
    )
    return Certificate(
        certificate=_sign(builder, ca_key),
        key=key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
    )


def _key(secret: str, purpose: str) -> ec.EllipticCurvePrivateKey:
    number = int.from_bytes(expand(secret, f"certificate/{purpose}", SCALAR_BYTES))
    return ec.derive_private_key(number % (CURVE_ORDER - 1) + 1, ec.SECP256R1())


def _builder(
    secret: str, purpose: str, subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(int.from_bytes(expand(secret, f"serial/{purpose}", SERIAL_BYTES)) | 1)
        .not_valid_before(NOT_BEFORE)
        .not_valid_after(NOT_AFTER)
    )


def _sign(builder: x509.CertificateBuilder, key: ec.EllipticCurvePrivateKey) -> str:
    signed = builder.sign(key, SHA256(), ecdsa_deterministic=True)
    return signed.public_bytes(Encoding.PEM).decode()


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name[:64])])


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
