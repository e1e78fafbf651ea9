"""Nothing secret leaves: a text is searched for secrets before others may read it."""

import base64
import os
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

SHORTEST = 8
TELLING_NAMES = re.compile(r"SECRET|PASSWORD|PASSPHRASE|TOKEN|PRIVATE|CREDENTIAL")
QUOTES = re.compile(r"""[\s"'{}\[\],]+""")
# What looks like a secret, whoever's it is.
SHAPES = {
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY"),
    "a join token": re.compile(r"\b[a-z0-9]{6}\.[a-z0-9]{16}\b"),
    "a web token": re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\."),
    "a kubeconfig": re.compile(r"client-key-data"),
    "a URL with a password": re.compile(r"://[^/\s:@]+:[^/\s@]+@"),
}


def find_leaks(text: str, secrets: Iterable[str]) -> tuple[str, ...]:
    """Say what kind of secret the text shows; never which."""
    found = {what for what, shape in SHAPES.items() if shape.search(text)}
    if any(form in text for secret in secrets if len(secret) >= SHORTEST for form in _forms(secret)):
        found.add("a secret of the stack or of this process")
    return tuple(sorted(found))


def secrets_of_environment(environment: Mapping[str, str] = os.environ) -> set[str]:
    """Read the secrets this process was given; one may be a whole file, so each of its words counts.

    A file of YAML or JSON may put quotes and brackets around them.
    """
    values = (value for name, value in environment.items() if TELLING_NAMES.search(name))
    words = (word for value in values for word in (value, *value.split(), *QUOTES.split(value)))
    return {word for word in words if len(word) >= SHORTEST}


def _forms(secret: str) -> Iterable[str]:
    yield secret
    yield quote(secret, safe="")
    yield base64.b64encode(secret.encode()).decode()
