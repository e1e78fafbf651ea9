"""nova-compute with the lab's driver, several compute hosts in one process.

Nova looks for drivers below `nova.virt` only, so the lab's driver is entered there under the name of nova.conf. To
everybody else each host is a compute service of its own; only their processor, memory and network are the same machine's.
"""

import sys

import nova.cmd.compute  # first of all: it patches the standard library for eventlet
import nova.conf
from nova import service
from nova.compute import rpcapi
from nova.network import neutron
from nova.virt import block_device

from lab.inside import places

serve_one = service.serve
bind_ports = neutron.API._update_port_binding_for_instance


class AnyHost(str):
    """The name of a host that is all of the lab's hosts."""

    __hash__ = str.__hash__

    def __eq__(self, other):
        return other in places.COMPUTE_HOSTS

    def __ne__(self, other):
        return other not in places.COMPUTE_HOSTS


class SettingsOfAnyHost:
    """Nova's settings for code that asks them, and not its service, which host it is on."""

    host = AnyHost("lab")

    def __getattr__(self, name):
        return getattr(nova.conf.CONF, name)


def serve(first):
    """The service that Nova's own main program has made, and one for each other host beside it."""
    serve_one(first)
    for host in places.COMPUTE_HOSTS[1:]:
        other = service.Service.create(host=host, binary="nova-compute", topic=rpcapi.RPC_TOPIC)
        service._launcher.launch_service(other)


def bind_ports_here(self, context, instance, _host, *arguments, **options):
    """When a server moves from host to host: Neutron knows only the one with its agent."""
    return bind_ports(self, context, instance, nova.conf.CONF.host, *arguments, **options)


def main() -> None:
    from lab.drivers import nova_driver

    sys.modules["nova.virt.lab_driver"] = nova_driver
    sys.argv[0] = "nova-compute"
    service.serve = serve
    neutron.API._update_port_binding_for_instance = bind_ports_here
    # A volume is taken off a server only by the host it is on.
    block_device.CONF = SettingsOfAnyHost()
    nova.cmd.compute.main()


if __name__ == "__main__":
    sys.exit(main())
