"""neutron-server that may be asked for ports first.

In this release `GET /ports` fails in a worker that has not asked the database for anything else yet: relations between
tables that are declared from their far side exist only after SQLAlchemy has looked at all of them. So it looks at them
before the workers are made.
"""

import sys

from neutron.cmd.eventlet import server  # first of all: it patches the standard library for eventlet
from neutron_lib.callbacks import events, registry, resources
from sqlalchemy import orm


def complete_relations(resource, event, trigger, payload=None):
    orm.configure_mappers()


if __name__ == "__main__":
    registry.subscribe(complete_relations, resources.PROCESS, events.BEFORE_SPAWN)
    sys.argv[0] = "neutron-server"
    sys.exit(server.main())
