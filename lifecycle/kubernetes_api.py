"""Kubernetes, asked and never told: a kubeconfig and the standard library are enough to read a cluster."""

import base64
import json
import ssl
import tempfile
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

TIMEOUT_S = 5.0


class UnreachableError(Exception):
    """The cluster does not answer; says why."""


class KubernetesApi:
    """Reads one cluster over HTTPS, with the certificate in its kubeconfig."""

    def __init__(self, kubeconfig: str, timeout_s: float = TIMEOUT_S) -> None:
        """Read the kubeconfig; raise `UnreachableError` when it is none."""
        self._timeout_s = timeout_s
        try:
            config = YAML(typ="safe").load(kubeconfig)
            cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
            self._server = str(cluster["server"])
            self._context = _context(cluster, user)
        except (YAMLError, KeyError, TypeError, IndexError, ValueError, ssl.SSLError) as error:
            text = "the stack's kubeconfig cannot be used"
            raise UnreachableError(text) from error
        self._token = user.get("token")

    def get(self, path: str) -> Any:
        """Read an object or a list."""
        if not self._server.startswith("https://"):
            text = "the kubeconfig names no https address"
            raise UnreachableError(text)
        headers = {"Accept": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        request = Request(f"{self._server}{path}", headers=headers)  # noqa: S310 - https, checked above
        try:
            with urlopen(request, timeout=self._timeout_s, context=self._context) as answer:  # noqa: S310
                return json.load(answer)
        except (URLError, OSError, ValueError) as error:
            text = f"{self._server} does not answer: {error}"
            raise UnreachableError(text) from error


def _context(cluster: dict[str, Any], user: dict[str, Any]) -> ssl.SSLContext:
    authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
    context = ssl.create_default_context(cadata=authority)
    if "client-certificate-data" in user:
        # The ssl module reads certificates from files only; the file is gone before the first request.
        with tempfile.TemporaryDirectory(prefix="nodewright-") as folder:
            file = Path(folder) / "client.pem"
            file.touch(mode=0o600)
            pair = (base64.b64decode(user[key]) for key in ("client-certificate-data", "client-key-data"))
            file.write_bytes(b"\n".join(pair))
            context.load_cert_chain(file)
    return context
