"""The commands of `bin/lab`."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

from lab import alive, doctor, environment, faults, host, images, launch, paths, servers, teardown
from lab.errors import LabError
from lab.inside import places
from lab.inside.units import UNITS

FEATURES = ("heat",)


def say(sentence: str) -> None:
    print(f"lab: {sentence}", file=sys.stderr, flush=True)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="lab", description="A real OpenStack on this machine.")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    up = commands.add_parser("up", help="start it; returns when a server can be booted")
    up.add_argument("--with", dest="features", action="append", default=[], choices=FEATURES, help="and this on demand")
    up.add_argument("--image", action="append", choices=images.NAMES, help="only these images (default: all)")
    commands.add_parser("down", help="stop it and leave nothing behind; servers come back with the next `up`")
    status = commands.add_parser("status", help="what runs")
    status.add_argument("--json", action="store_true")
    commands.add_parser("reset", help="stop it and forget all servers, volumes and databases")
    commands.add_parser("doctor", help="look at every part and say which is broken")
    logs = commands.add_parser("logs", help="show the log of one part")
    logs.add_argument("unit", choices=sorted([unit.name for unit in UNITS] + ["supervisor", "root-build"]))
    logs.add_argument("-f", "--follow", action="store_true")
    ssh = commands.add_parser("ssh", help="log in to a server on its console's side, whatever its network is like")
    ssh.add_argument("server")
    ssh.add_argument("-i", dest="key", help="private key file")
    ssh.add_argument("-l", dest="user", default="debian")
    ssh.add_argument("remote", nargs=argparse.REMAINDER, help="command to run there")
    execute = commands.add_parser("exec", help="run a program in the lab's network, as the cloud's customer")
    execute.add_argument("program", nargs=argparse.REMAINDER)
    client = commands.add_parser("openstack", help="the OpenStack client")
    client.add_argument("--admin", action="store_true", help="as the cloud's operator")
    client.add_argument("arguments", nargs=argparse.REMAINDER)
    fault_commands(commands.add_parser("fault", help="break something on purpose"))
    return top


def fault_commands(fault: argparse.ArgumentParser) -> None:
    kinds = fault.add_subparsers(dest="fault", required=True, metavar="FAULT")
    for name, text in (
        ("kill", "the machine dies at once"),
        ("freeze", "the machine hangs"),
        ("thaw", "undo freeze"),
        ("cut", "its network cables are out"),
        ("restore", "undo cut"),
        ("fill", "its disk is full"),
        ("free", "undo fill"),
    ):
        kinds.add_parser(name, help=text).add_argument("server")
    api = kinds.add_parser("api", help="a service answers errors, hangs, or is well again")
    api.add_argument("service")
    api.add_argument("mode", choices=("error", "hang", "ok"))
    volume = kinds.add_parser("volume", help="a volume sticks in detaching, or lets go")
    volume.add_argument("mode", choices=("stick", "unstick"))
    volume.add_argument("volume", metavar="ID")


def main(arguments: list[str] | None = None) -> int:
    # `bin/lab status | head -1` ends quietly.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    chosen = parser().parse_args(arguments)
    try:
        return run(chosen)
    except LabError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("interrupted; `bin/lab up` goes on from here, `bin/lab down` cleans up")
        return 130


def run(chosen: argparse.Namespace) -> int:
    host.require_root()
    actions: dict[str, Callable[[], int | None]] = {
        "up": lambda: launch.up(say, chosen.features, chosen.image or images.NAMES),
        "down": lambda: teardown.down(say),
        "reset": lambda: teardown.reset(say),
        "status": lambda: show_status(as_json=chosen.json),
        "doctor": lambda: 0 if doctor.report() else 1,
        "logs": lambda: show_log(chosen.unit, follow=chosen.follow),
        "ssh": lambda: ssh(chosen),
        "exec": lambda: execute(chosen.program),
        "openstack": lambda: openstack(chosen.arguments, admin=chosen.admin),
        "fault": lambda: print(fault(chosen)),
    }
    return actions[chosen.command]() or 0


def show_log(unit: str, *, follow: bool) -> int:
    command = ["tail", "-n", "200", *(["-F"] if follow else []), str(paths.logs() / f"{unit}.log")]
    return subprocess.run(command, check=False).returncode


def show_status(*, as_json: bool) -> int:
    number = alive.pid()
    status = {"up": bool(number), "pid": number} | (alive.status() if number else {})
    if as_json:
        print(json.dumps(status, indent=2))
    elif not number:
        print("the lab is down")
    else:
        ready = status.get("ready")
        print("ready" if ready else f"not ready, waiting for {', '.join(status.get('waiting_for', ['supervisor']))}")
        for name, unit in status.get("units", {}).items():
            if unit["kind"] == "step" and unit["state"] == "done":
                continue
            since = time.strftime("%H:%M:%S", time.localtime(unit["since"])) if unit["since"] else "-"
            print(f"{name:<22} {unit['state']:<9} since {since}  restarts {unit['restarts']}")
    return 0 if status.get("ready") else 1


def ssh(chosen: argparse.Namespace) -> int:
    """From inside the machine's own network namespace: works without floating IP and security group rule."""
    server = servers.find(chosen.server)
    remote = chosen.remote[1:] if chosen.remote[:1] == ["--"] else chosen.remote
    key = ["-i", chosen.key] if chosen.key else []
    netns = f"/proc/{alive.require_pid()}/root/run/netns/{server.netns}"
    trust = ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR"]
    command = ["nsenter", f"--net={netns}", "ssh", *trust, *key, f"{chosen.user}@127.0.0.1", *remote]
    return subprocess.run(command, check=False).returncode


def execute(program: list[str]) -> int:
    """Only the network namespace changes: files, user and working directory stay."""
    program = program[1:] if program[:1] == ["--"] else program
    if not program:
        message = "running a program in the lab: none was named; for example: bin/lab exec pulumi up"
        raise LabError(message)
    alive.require_pid()
    found = environment.of_user(say)
    os.execvpe("nsenter", ["nsenter", f"--net={alive.netns()}", "--", *program], found)  # noqa: S606


def openstack(arguments: list[str], *, admin: bool) -> int:
    cloud = "lab-admin" if admin else "lab"
    settings = [f"OS_CLIENT_CONFIG_FILE={places.CLOUDS_YAML}", f"OS_CLOUD={cloud}"]
    return subprocess.run(alive.inside("env", *settings, "openstack", *arguments), check=False).returncode


def fault(chosen: argparse.Namespace) -> str:
    if chosen.fault == "api":
        return faults.api(chosen.service, chosen.mode)
    if chosen.fault == "volume":
        return {"stick": faults.stick, "unstick": faults.unstick}[chosen.mode](chosen.volume)
    on_server = {
        "kill": faults.kill,
        "freeze": faults.freeze,
        "thaw": faults.thaw,
        "cut": faults.cut,
        "restore": faults.restore,
        "fill": faults.fill,
        "free": faults.free,
    }
    return on_server[chosen.fault](chosen.server)
