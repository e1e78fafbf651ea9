"""Keys: the same secret gives the same keys for ever, and OpenSSH reads them."""

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_ssh_private_key

from cluster.keys import SecretError, SshKey, access_key, host_key

SECRET = "a secret of at least thirty-two characters"

# Golden vectors: a change here locks every cluster out of its machines.
ACCESS = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHiA8M5caAHVikju3XAMrRegkTA0LWxn3xaiLCBPzdTa nodewright"
WORKER_0 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAY3Z7kyast+MaHldAUiCE8h/hYLGsu47unfUWM5BAPh worker-0"


def public_half(key: SshKey) -> str:
    loaded = load_ssh_private_key(key.private.encode(), password=None)
    return loaded.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def test_keys_of_a_secret_never_change() -> None:
    assert access_key(SECRET).public == ACCESS
    assert host_key(SECRET, "worker-0").public == WORKER_0


def test_the_private_half_is_the_same_text_every_time() -> None:
    """The library's own writer takes a random number; every run would then show changed connections."""
    assert access_key(SECRET).private == access_key(SECRET).private


@pytest.mark.parametrize("key", [access_key(SECRET), host_key(SECRET, "w-0"), host_key(SECRET, "control-plane-12")])
def test_the_halves_belong_together(key: SshKey) -> None:
    assert key.public.startswith(public_half(key))


def test_every_machine_and_every_secret_has_its_own_key() -> None:
    keys = {host_key(SECRET, "worker-0").public.split()[1], host_key(SECRET, "worker-1").public.split()[1]}
    keys |= {host_key(SECRET + "!", "worker-0").public.split()[1], access_key(SECRET).public.split()[1]}
    assert len(keys) == 4


def test_a_private_key_shows_in_no_repr() -> None:
    assert "PRIVATE" not in repr(access_key(SECRET))


def test_a_short_secret_is_refused_without_being_shown() -> None:
    with pytest.raises(SecretError, match="pulumi config set --secret") as caught:
        access_key("canary")
    assert "canary" not in str(caught.value)
