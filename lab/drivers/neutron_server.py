"""neutron-server that may be asked for ports first.

In this release `GET /ports` fails in a worker that has not asked the database for anything else yet: relations between
tables that are declared from their far side exist only after SQLAlchemy has looked at all of them. So it looks at them
when the plugins are loaded, before the workers are made.
"""

import sys

from neutron.cmd.eventlet import server  # first of all: it patches the standard library for eventlet
from neutron import service
from sqlalchemy import orm

run_loaded_app = service.run_wsgi_app


def run_wsgi_app(app):
    orm.configure_mappers()
    return run_loaded_app(app)


if __name__ == "__main__":
    service.run_wsgi_app = run_wsgi_app
    sys.argv[0] = "neutron-server"
    sys.exit(server.main())
