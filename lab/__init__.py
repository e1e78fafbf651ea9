"""A real OpenStack on one machine: `bin/lab up`."""
