"""Keys and passwords made from the cluster's one secret: the same ones in every run, kept nowhere."""

import base64
import struct
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

SHORTEST_SECRET = 32
SEED_BYTES = 32
PASSWORD_BYTES = 24
CIPHER_BLOCK_BYTES = 8
LINE_LENGTH = 70
KEY_TYPE = b"ssh-ed25519"
# Part of what is derived: another way to derive gets another version, so that old clusters keep their keys.
DERIVATION = "nodewright/v1"


class SecretError(ValueError):
    """The cluster secret cannot be used."""


@dataclass(frozen=True, kw_only=True)
class SshKey:
    """A key pair as OpenSSH writes it; the private half shows in no repr."""

    private: str = field(repr=False)
    public: str


def access_key(secret: str) -> SshKey:
    """Make the key that the program logs in to machines with."""
    return _derive(secret, "access", "nodewright")


def host_key(secret: str, node_key: str) -> SshKey:
    """Make a machine's host key: of its name, not its generation, so a healed machine is recognised."""
    return _derive(secret, f"host/{node_key}", node_key)


def _derive(secret: str, purpose: str, comment: str) -> SshKey:
    if len(secret) < SHORTEST_SECRET:
        msg = (
            f"reading nodewright:secret: it has {len(secret)} characters, {SHORTEST_SECRET} are needed; "
            "run: openssl rand -hex 32 | pulumi config set --secret nodewright:secret"
        )
        raise SecretError(msg)
    seed = expand(secret, purpose, SEED_BYTES)
    public = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    public_blob = _string(KEY_TYPE) + _string(public)
    check = expand(secret, f"{purpose}/check", 4)
    return SshKey(
        private=_private_file(seed, public, public_blob, check, comment),
        public=f"{KEY_TYPE.decode()} {base64.b64encode(public_blob).decode()} {comment}",
    )


def password(secret: str, purpose: str) -> str:
    """Make a password that fits every protocol and every shell."""
    return base64.urlsafe_b64encode(expand(secret, f"password/{purpose}", PASSWORD_BYTES)).decode()


def expand(secret: str, purpose: str, length: int) -> bytes:
    """Derive bytes for one purpose; nothing about the others follows from them."""
    info = f"{DERIVATION}/{purpose}".encode()
    return HKDF(algorithm=SHA256(), length=length, salt=None, info=info).derive(secret.encode())


def _private_file(seed: bytes, public: bytes, public_blob: bytes, check: bytes, comment: str) -> str:
    """Write an unencrypted OpenSSH private key.

    The library's own writer takes its check number at random; then every run would show changed connections.
    Format: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.key
    """
    secret_part = check + check + _string(KEY_TYPE) + _string(public) + _string(seed + public)
    secret_part += _string(comment.encode())
    padding = -len(secret_part) % CIPHER_BLOCK_BYTES
    secret_part += bytes(range(1, padding + 1))
    content = b"openssh-key-v1\0" + _string(b"none") + _string(b"none") + _string(b"")
    content += struct.pack(">I", 1) + _string(public_blob) + _string(secret_part)
    text = base64.b64encode(content).decode()
    lines = [text[start : start + LINE_LENGTH] for start in range(0, len(text), LINE_LENGTH)]
    return "\n".join(["-----BEGIN OPENSSH PRIVATE KEY-----", *lines, "-----END OPENSSH PRIVATE KEY-----", ""])


def _string(value: bytes) -> bytes:
    return struct.pack(">I", len(value)) + value
