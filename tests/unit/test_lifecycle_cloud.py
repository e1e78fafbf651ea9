"""A cloud that lets us in and then does not serve us is an answer, not a crash."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from openstack.exceptions import HttpException

from lifecycle import cloud
from lifecycle.errors import Exit, LifecycleError


class Broken:
    """Fails as openstacksdk does when a service answers 503, after the first page."""

    def servers(self, **_: Any) -> Iterator[Any]:
        yield SimpleNamespace(metadata={cloud.CLUSTER: "demo"}, id="a", name="worker-0", status="ACTIVE", addresses={})
        msg = "503: Server Error for url: http://cloud/servers/detail, it is being mended"
        raise HttpException(msg)


def test_a_status_says_that_the_cloud_does_not_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cloud, "connect", lambda name: SimpleNamespace(compute=Broken()))
    seen = cloud.look("ours", "demo")
    assert seen.servers == {}
    assert "503" in (seen.unknown or "")


def test_a_repair_that_the_cloud_does_not_serve_ends_with_no_access() -> None:
    told = "looking for orphans: the cloud answers: .*503"
    with pytest.raises(LifecycleError, match=told) as raised, cloud.asking("looking for orphans"):
        list(Broken().servers())
    assert raised.value.code is Exit.NO_ACCESS
