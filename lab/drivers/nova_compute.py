"""nova-compute with the lab's driver.

Nova looks for drivers below `nova.virt` only, so the lab's driver is entered there under the name of nova.conf.
"""

import sys

import nova.cmd.compute  # first of all: it patches the standard library for eventlet


def main() -> None:
    from lab.drivers import nova_driver

    sys.modules["nova.virt.lab_driver"] = nova_driver
    sys.argv[0] = "nova-compute"
    nova.cmd.compute.main()


if __name__ == "__main__":
    sys.exit(main())
