"""Files of certificates, looked into before anything changes."""

from pathlib import Path

from cryptography.x509 import load_pem_x509_certificates

ROOT = Path(__file__).parent.parent.parent


def check_certificates(path: str) -> str | None:
    """Say what is wrong with a file of PEM certificates, or nothing.

    Whether one has expired is said where it is used: settings are read without a clock.
    """
    try:
        content = (ROOT / path).read_bytes()
    except OSError as error:
        return f"cannot be read ({error.strerror}); give a file inside the project"
    if b"PRIVATE KEY" in content:
        return "holds a private key; keep it in `nodewright:secrets`, and give a file with certificates only"
    try:
        load_pem_x509_certificates(content)
    except ValueError:
        return "holds no certificate in PEM form; it begins with -----BEGIN CERTIFICATE-----"
    return None


def read_certificates(path: str) -> str:
    """Read a file that was checked before."""
    return (ROOT / path).read_text(encoding="utf-8")
