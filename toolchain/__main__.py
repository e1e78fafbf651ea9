"""`python3 -m toolchain`: see cli.py."""

import sys

from toolchain.cli import main

sys.exit(main(sys.argv[1:]))
