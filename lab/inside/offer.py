"""What the cloud offers its customers: flavors, an external network, and the quotas of `demo`."""

from typing import Any

from lab.inside import places
from lab.inside.accounts import DEMO, connect

# Name, processors, MiB of memory, GiB of disk.
FLAVORS = (("m1.small", 1, 1024, 20), ("m1.medium", 2, 2048, 20), ("m1.large", 2, 4096, 40))
# Room for some clusters side by side, and small enough that a runaway program meets it.
COMPUTE_QUOTA = {"instances": 40, "cores": 80, "ram": 128 * 1024, "server_groups": 20, "server_group_members": 40}
NETWORK_QUOTA = {
    "networks": 20, "subnets": 20, "routers": 20, "ports": 200, "floating_ips": 40,
    "security_groups": 60, "security_group_rules": 600,
}  # fmt: skip
VOLUME_QUOTA = {"volumes": 60, "snapshots": 60, "gigabytes": 1000}


def create_flavors(cloud: Any) -> None:
    for name, vcpus, memory_mib, disk_gib in FLAVORS:
        if not cloud.compute.find_flavor(name):
            cloud.compute.create_flavor(name=name, vcpus=vcpus, ram=memory_mib, disk=disk_gib)


def create_public_network(network: Any) -> None:
    public = network.find_network("public") or network.create_network(
        name="public",
        is_router_external=True,
        is_shared=True,
        provider_network_type="flat",
        provider_physical_network="public",
    )
    if not list(network.subnets(network_id=public.id)):
        network.create_subnet(
            network_id=public.id,
            name="public",
            ip_version=4,
            cidr="172.24.4.0/24",
            gateway_ip=places.ADDRESS,
            enable_dhcp=False,
            allocation_pools=[{"start": "172.24.4.10", "end": "172.24.4.200"}],
        )


def set_quotas(cloud: Any) -> None:
    """Through the plain APIs: the SDK of this release knows only some of the names."""
    project = cloud.identity.find_project(DEMO).id
    bodies = (
        (cloud.compute, f"/os-quota-sets/{project}", {"quota_set": COMPUTE_QUOTA}),
        (cloud.block_storage, f"/os-quota-sets/{project}", {"quota_set": VOLUME_QUOTA}),
        (cloud.network, f"/quotas/{project}", {"quota": {network_name(k): v for k, v in NETWORK_QUOTA.items()}}),
    )
    for service, path, body in bodies:
        response = service.put(path, json=body)
        response.raise_for_status()


def network_name(plural: str) -> str:
    """Neutron counts in the singular and writes `floatingip` in one word."""
    return plural.removesuffix("s").replace("floating_ip", "floatingip")


def main() -> None:
    cloud = connect("admin", "admin")
    create_flavors(cloud)
    create_public_network(cloud.network)
    set_quotas(cloud)


if __name__ == "__main__":
    main()
