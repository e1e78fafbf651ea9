"""A client that writes through a cluster's API without pause, and can say what became of each write."""

import json
import threading
import time
from types import TracebackType
from typing import Any, Self
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from lifecycle.kubernetes_api import KubernetesApi

PERIOD_S = 0.1
# As long as one try may take before the next is made; a control plane that is gone does not refuse, it is silent.
TRY_S = 2.0
CREATED, EXISTS = 201, 409
NAMESPACE = "beats"


class ApiWriter(KubernetesApi):
    """Makes one object after another; each is tried until it is acknowledged."""

    def __init__(self, kubeconfig: str) -> None:
        super().__init__(kubeconfig)
        self._acknowledged: dict[str, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._write_on, daemon=True)
        self._create("/api/v1/namespaces", NAMESPACE)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(2 * TRY_S)

    @property
    def written(self) -> int:
        return len(self._acknowledged)

    def longest_gap_s(self) -> float:
        """The longest time between two acknowledged writes."""
        times = list(self._acknowledged.values())
        return max(after - before for before, after in zip(times, times[1:], strict=False))

    def lost(self) -> set[str]:
        """What was acknowledged and is not there."""
        kept = {item["metadata"]["name"] for item in self._list()}
        return set(self._acknowledged) - kept

    def _list(self) -> list[dict[str, Any]]:
        return list(self.get(f"/api/v1/namespaces/{NAMESPACE}/configmaps")["items"])

    def _write_on(self) -> None:
        run = int(time.time())
        number = 0
        while not self._stop.wait(PERIOD_S):
            name = f"beat-{run}-{number}"
            if self._create(f"/api/v1/namespaces/{NAMESPACE}/configmaps", name):
                self._acknowledged[name] = time.monotonic()
                number += 1

    def _create(self, path: str, name: str) -> bool:
        body = json.dumps({"metadata": {"name": name}}).encode()
        headers = {"Content-Type": "application/json"}
        request = Request(f"{self._server}{path}", data=body, headers=headers)
        try:
            with urlopen(request, timeout=TRY_S, context=self._context) as answer:
                return int(answer.status) == CREATED
        except HTTPError as error:
            # A try before this one went through, and only its answer was lost.
            return error.code == EXISTS
        except OSError:
            return False
