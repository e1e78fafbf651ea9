"""The CA and the certificate of the cluster's own registry."""

from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from cluster.certificates import registry_ca, registry_certificate

SECRET = "not-a-secret-but-long-enough-for-one"


def certificate(generation: int = 0, address: str = "10.20.0.9") -> x509.Certificate:
    made = registry_certificate(SECRET, "demo", "registry.demo.internal", address, generation)
    return x509.load_pem_x509_certificate(made.certificate.encode())


def test_every_run_makes_the_same_certificates() -> None:
    assert registry_ca(SECRET, "demo") == registry_ca(SECRET, "demo")
    assert certificate() == certificate()


def test_the_certificate_is_signed_by_the_ca() -> None:
    certificate().verify_directly_issued_by(x509.load_pem_x509_certificate(registry_ca(SECRET, "demo").encode()))


def test_the_key_belongs_to_the_certificate() -> None:
    made = registry_certificate(SECRET, "demo", "registry.demo.internal", "10.20.0.9", 0)
    key = load_pem_private_key(made.key.encode(), None)
    assert key.public_key() == x509.load_pem_x509_certificate(made.certificate.encode()).public_key()
    assert made.key not in repr(made)


def test_it_is_for_the_name_and_the_address() -> None:
    names = certificate().extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["registry.demo.internal"]
    assert [str(address) for address in names.get_values_for_type(x509.IPAddress)] == ["10.20.0.9"]


def test_another_generation_has_another_key_and_number_of_the_same_ca() -> None:
    old, new = certificate(), certificate(generation=1)
    assert old.public_key() != new.public_key()
    assert old.serial_number != new.serial_number
    assert old.issuer == new.issuer


def test_two_certificates_never_share_a_number() -> None:
    assert certificate().serial_number != certificate(address="10.20.0.10").serial_number


def test_another_secret_has_another_ca() -> None:
    assert registry_ca(SECRET, "demo") != registry_ca(SECRET[::-1], "demo")
