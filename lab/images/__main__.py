"""`python3 -m lab.images ensure | path NAME | list`."""

import argparse
import sys

from lab import images
from lab.errors import LabError
from toolchain import ToolchainError


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m lab.images", description=images.__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    wanted = commands.add_parser("ensure", help="build the images that are not there yet")
    wanted.add_argument("names", nargs="*", choices=[*images.NAMES, []], metavar="NAME", help="default: all")
    path = commands.add_parser("path", help="print the root directory of an image, built when needed")
    path.add_argument("name", choices=images.NAMES)
    commands.add_parser("list", help="print the names of all images")
    arguments = parser.parse_args()
    try:
        match arguments.command:
            case "ensure":
                images.ensure(arguments.names or images.NAMES, progress=_say)
            case "path":
                print(images.ensure([arguments.name], progress=_say)[arguments.name])
            case "list":
                print("\n".join(images.NAMES))
    except (LabError, ToolchainError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
