"""The OpenStack project as it is: looked at, never changed from here."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lifecycle.errors import Exit, LifecycleError

CLUSTER = "nodewright-cluster"
NODE = "nodewright-node"


@dataclass(frozen=True, kw_only=True)
class CloudServer:
    """A server that carries the cluster's metadata."""

    id: str
    node: str
    status: str
    address: str | None


@dataclass(frozen=True, kw_only=True)
class CloudView:
    """The cluster's servers by id, or why nobody could look."""

    servers: Mapping[str, CloudServer]
    unknown: str | None = None


def connect(cloud: str | None) -> Any:
    """Log in as the stack's program does; raise `LifecycleError` when the cloud does not let us."""
    import openstack
    from keystoneauth1.exceptions.base import ClientException
    from openstack.exceptions import SDKException

    try:
        connection = openstack.connect(cloud=cloud) if cloud else openstack.connect()
        connection.authorize()
    except (SDKException, ClientException) as error:
        name = cloud or "of the environment"
        text = f"logging in to cloud {name}: {error}; check clouds.yaml or the OS_… variables"
        raise LifecycleError(Exit.NO_ACCESS, text) from error
    return connection


@contextmanager
def asking(doing: str) -> Iterator[None]:
    """Turn what a cloud answers that lets us in and then does not serve us into a `LifecycleError`."""
    from keystoneauth1.exceptions.base import ClientException
    from openstack.exceptions import SDKException

    try:
        yield
    except (SDKException, ClientException) as error:
        text = f"{doing}: the cloud answers: {error}; give the same command again when it serves"
        raise LifecycleError(Exit.NO_ACCESS, text) from error


def look(cloud: str | None, cluster: str) -> CloudView:
    """List the cluster's servers; a cloud that cannot be reached, or stops answering, is an answer, too."""
    try:
        with asking("listing the cloud's servers"):
            return read(connect(cloud), cluster)
    except LifecycleError as error:
        return CloudView(servers={}, unknown=str(error))


def read(connection: Any, cluster: str) -> CloudView:
    """List the cluster's servers."""
    servers = {
        server.id: CloudServer(
            id=server.id,
            node=server.metadata.get(NODE, server.name),
            status=server.status,
            address=_address(server),
        )
        for server in connection.compute.servers(details=True)
        if (server.metadata or {}).get(CLUSTER) == cluster
    }
    return CloudView(servers=servers)


def _address(server: Any) -> str | None:
    for addresses in (server.addresses or {}).values():
        for address in addresses:
            if address.get("OS-EXT-IPS:type") == "fixed":
                return str(address["addr"])
    return None
