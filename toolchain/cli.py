"""The command line of the toolchain: answers go to stdout, progress and errors to stderr."""

from __future__ import annotations

import argparse
import shlex
import sys

from toolchain.cache import Manifest, fault_in
from toolchain.errors import ToolchainError
from toolchain.prune import prune
from toolchain.shell import variables
from toolchain.supply import Supply

DESCRIPTION = "Get the pinned engine, plugins and node programs: downloaded, or built from source."


def main(arguments: list[str]) -> int:
    """Run one command; 1 when it could not be done, 130 when it was interrupted."""
    parser = argparse.ArgumentParser(prog="python3 -m toolchain", description=DESCRIPTION)
    commands = parser.add_subparsers(dest="command", required=True)
    ensure = commands.add_parser("ensure", help="make what is missing of these items or sets (all)")
    ensure.add_argument("names", nargs="*", metavar="ITEM")
    path = commands.add_parser("path", help="print an item's directory, making it if need be")
    path.add_argument("name", metavar="ITEM")
    commands.add_parser("env", help="print `export` lines for a shell")
    commands.add_parser("list", help="print all items and sets and what is there of them")
    verify = commands.add_parser("verify", help="compare every file that is there with its checksum")
    verify.add_argument("names", nargs="*", metavar="ITEM")
    commands.add_parser("prune", help="remove from the cache what is pinned no more")
    options = parser.parse_args(arguments)
    try:
        return _run(options, Supply.usual())
    except ToolchainError as error:
        print(f"toolchain: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("toolchain: interrupted; the next call goes on from here", file=sys.stderr)
        return 130


def _run(options: argparse.Namespace, supply: Supply) -> int:
    if options.command == "ensure":
        supply.ensure(options.names)
    elif options.command == "path":
        print(supply.ensure([options.name])[options.name])
    elif options.command == "env":
        for name, value in variables(supply).items():
            print(f"export {name}={shlex.quote(value)}")
    elif options.command == "list":
        _list(supply)
    elif options.command == "prune":
        _prune(supply)
    else:
        return _verify(options.names, supply)
    return 0


def _list(supply: Supply) -> None:
    for item in supply.catalog.items.values():
        directory = supply.present(item)
        manifest = Manifest.read(directory) if directory else None
        state = f"{manifest.road}, {manifest.made_at}" if manifest else "not here"
        print(f"{item.name:20} {item.version:10} {state}")
    for name, members in supply.catalog.sets.items():
        print(f"{name:20} = {' '.join(members)}")


def _prune(supply: Supply) -> None:
    freed = 0
    for size, said in prune(supply.catalog, supply.root):
        freed += size
        print(said)
    print(f"{freed / 1e6:.0f} MB freed")


def _verify(names: list[str], supply: Supply) -> int:
    faults = 0
    for item in supply.catalog.select(names):
        for directory in supply.directories(item).values():
            if directory.exists():
                fault = fault_in(directory, thorough=True)
                faults += fault is not None
                print(f"{item.name:20} {item.version:10} {fault or 'whole'}  {directory}")
    if faults:
        print("toolchain: remove the directories of what is not whole; `ensure` makes them again", file=sys.stderr)
    return 1 if faults else 0
