"""A client that writes through a cluster's API without pause, and can say what became of each write."""

import json
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from lifecycle.kubernetes_api import KubernetesApi
from tests.background import Background

PERIOD_S = 0.1
# As long as one try may take before the next is made; a control plane that is gone does not refuse, it is silent.
TRY_S = 2.0
CREATED, EXISTS = 201, 409
NAMESPACE = "beats"
NAMESPACES = "/api/v1/namespaces"
OBJECTS = f"{NAMESPACES}/{NAMESPACE}/configmaps"


class WritableApi(KubernetesApi):
    """An API in which objects can be made, too."""

    def create(self, path: str, name: str) -> bool:
        """Make an object without content; tell whether it is there now for certain."""
        body = json.dumps({"metadata": {"name": name}}).encode()
        request = Request(f"{self._server}{path}", data=body, headers={"Content-Type": "application/json"})
        try:
            with urlopen(request, timeout=TRY_S, context=self._context) as answer:
                return int(answer.status) == CREATED
        except HTTPError as error:
            # A try before this one went through, and only its answer was lost.
            return error.code == EXISTS
        except OSError:
            return False


class ApiWriter(Background):
    """Makes one object after another; each is tried until it is acknowledged."""

    def __init__(self, kubeconfig: str) -> None:
        super().__init__()
        self._api = WritableApi(kubeconfig)
        self._acknowledged: dict[str, float] = {}
        self._api.create(NAMESPACES, NAMESPACE)

    @property
    def written(self) -> int:
        return len(self._acknowledged)

    def longest_gap_s(self) -> float:
        """The longest time between two acknowledged writes."""
        times = list(self._acknowledged.values())
        return max(after - before for before, after in zip(times, times[1:], strict=False))

    def lost(self) -> set[str]:
        """What was acknowledged and is not there."""
        kept = {item["metadata"]["name"] for item in self._api.get(OBJECTS)["items"]}
        return set(self._acknowledged) - kept

    def _work(self) -> None:
        run = int(time.time())
        while not self._over.wait(PERIOD_S):
            name = f"beat-{run}-{self.written}"
            if self._api.create(OBJECTS, name):
                self._acknowledged[name] = time.monotonic()
