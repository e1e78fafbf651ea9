"""The words of `nodewright`'s command line."""

import argparse
import os
from pathlib import Path

from lifecycle.errors import Exit, LifecycleError
from lifecycle.stack_file import stack_names

DESCRIPTION = """\
Operate Kubernetes clusters that Nodewright builds. Every change is a change of the stack's file: it is shown as a
ticket, asked about, and carried out; a command that was interrupted goes on when it is given again."""
EXIT_CODES = """\
exit codes: 0 done, or nothing to do; 2 the call or the stack file is wrong; 3 refused or declined;
4 failed on the way, or status found something broken; 5 the stack is busy; 6 there is no such stack;
7 no access to the cloud or to the stack's secrets; 130 interrupted"""


def parser() -> argparse.ArgumentParser:
    """Make the parser."""
    top = argparse.ArgumentParser(
        prog="nodewright",
        description=DESCRIPTION,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")
    looks, changes = _looking(), _changing()

    verbs.add_parser("create", parents=[changes], help="build the cluster, or bring it to what its file says")
    scale = verbs.add_parser("scale", parents=[changes], help="scale worker 4 | scale worker --remove worker-2")
    scale.add_argument("pool", metavar="POOL")
    scale.add_argument("count", metavar="COUNT", type=int, nargs="?")
    scale.add_argument("--remove", metavar="MACHINE", nargs="+", help="take these away; the others keep their names")
    heal = verbs.add_parser("heal", parents=[changes], help="replace machines; names, addresses and volumes stay")
    heal.add_argument("nodes", metavar="MACHINE", nargs="*")
    heal.add_argument("--all", action="store_true", help="every machine, in order; the same as `roll`")
    heal.add_argument(
        "--number", type=int, metavar="N", help="the heal number to reach; reached already: nothing to do"
    )
    roll = verbs.add_parser(
        "roll", parents=[changes], help="replace every machine of the cluster or of a pool, in order"
    )
    roll.add_argument("pool", metavar="POOL", nargs="?")
    roll.add_argument(
        "--generation", type=int, metavar="N", help="the generation to reach; reached already: nothing to do"
    )
    upgrade = verbs.add_parser("upgrade", parents=[changes], help="bring every node to a Kubernetes version")
    upgrade.add_argument("version", metavar="VERSION")
    upgrade.add_argument("--image", metavar="IMAGE", help="the image with that version")
    verbs.add_parser("destroy", parents=[changes], help="take the whole cluster away, volumes included")

    plan = verbs.add_parser("plan", parents=[looks], help="say what `create` would do now")
    plan.add_argument("--markdown", action="store_true", help="as a comment for a pull request")
    verbs.add_parser("status", parents=[looks], help="compare file, state, cloud and Kubernetes; propose what mends")
    verbs.add_parser("kubeconfig", parents=[looks], help="print the cluster's kubeconfig")
    picture = verbs.add_parser("picture", parents=[looks], help="draw the cluster")
    picture.add_argument("--svg", type=Path, metavar="FILE", help="as a picture in a file")
    init = verbs.add_parser("init", parents=[looks], help="write a commented stack file, and its secret")
    init.add_argument("new_stack", metavar="STACK")
    init.add_argument("--name", help="the cluster's name; the stack's when left out")
    init.add_argument("--cloud", help="the cloud's name in clouds.yaml")
    return top


def stack_of(arguments: argparse.Namespace, project: Path) -> str:
    """Tell which stack is meant: the one said, that of the environment, or the only one there is."""
    said: str | None = arguments.stack or os.environ.get("NODEWRIGHT_STACK")
    if said:
        return said
    known = stack_names(project)
    if len(known) == 1:
        return known[0]
    text = f"choosing a stack: give --stack or set NODEWRIGHT_STACK; stacks with a file: {', '.join(known) or 'none'}"
    raise LifecycleError(Exit.USAGE, text)


def _looking() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--stack", metavar="STACK", help="the stack (NODEWRIGHT_STACK)")
    common.add_argument(
        "--json", action="store_true", help="JSON on stdout, a line for each thing; the last is the result"
    )
    return common


def _changing() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False, parents=[_looking()])
    common.add_argument("--yes", action="store_true", help="do not ask")
    common.add_argument("--dry-run", action="store_true", help="only say what would happen")
    common.add_argument("--wait", action="store_true", help="wait while someone else works on the stack")
    common.add_argument(
        "--steal-lock", action="store_true", help="break a lock whose owner cannot be checked from here"
    )
    common.add_argument("--accept", metavar="RULE", action="append", default=[], help="break this rule of the ticket")
    return common
