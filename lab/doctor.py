"""Looks at every part of the lab and says which one is broken and where its log is."""

import os
import subprocess
import time
from collections.abc import Iterator

from lab import alive, host, paths, root
from lab.inside import places

STUCK_AFTER_S = 120.0


def findings() -> Iterator[tuple[bool, str]]:
    """(fine, sentence) for each part, causes before effects."""
    yield os.geteuid() == 0, "running as root"
    faults = host.missing_programs() + host.missing_kernel() + host.missing_space()
    yield not faults, "; ".join(faults) or "host: programs, kernel, disk and memory are there"
    instances = int(host.INOTIFY.read_text())
    yield instances >= host.INOTIFY_INSTANCES, f"host: fs.inotify.max_user_instances is {instances}"
    built = root.directory()
    yield built.is_dir(), f"OpenStack's root directory: {built if built.is_dir() else 'not built yet (lab up does it)'}"
    number = alive.pid()
    log = paths.logs() / "supervisor.log"
    yield bool(number), f"process 1: {number}" if number else f"process 1 does not run (log of its last life: {log})"
    if not number:
        return
    named = alive.netns().exists()
    yield named, f"network namespace {alive.name()}" + ("" if named else " has no name (lab up gives it one)")
    status = alive.status()
    for name, unit in status.get("units", {}).items():
        fine = unit["state"] in ("up", "done")
        age_s = time.time() - unit["since"]
        detail = f"{unit['kind']} {name}: {unit['state']}"
        if unit["restarts"]:
            detail += f", {unit['restarts']} restarts"
        if not fine:
            waits = f" for {age_s:.0f} s" if unit["state"] == "starting" and age_s > STUCK_AFTER_S else ""
            detail += f"{waits}; log: {paths.logs() / unit['log']}"
        yield fine, detail
    if named:
        yield from interfaces()


def interfaces() -> Iterator[tuple[bool, str]]:
    """Each API from outside its process: answers, broken on purpose, or silent."""
    for service, port in places.API_PORTS.items():
        if service == "heat" and not (paths.state() / "features" / "heat").exists():
            continue
        url = f"http://{places.ADDRESS}:{port}/"
        probe = (
            "import sys,urllib.request,urllib.error\n"
            "try: print(urllib.request.urlopen(sys.argv[1], timeout=5).status)\n"
            "except urllib.error.HTTPError as e: print(e.code)\n"
            "except Exception as e: print(e)"
        )
        command = alive.inside("python3", "-c", probe, url)
        answer = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
        fine = answer.isdigit() and int(answer) != 503
        yield (
            fine,
            f"API {service} at {url}: {answer}" + ("" if fine else f"; log: {paths.logs() / (service + '.log')}"),
        )


def report() -> bool:
    whole = True
    for fine, sentence in findings():
        whole = whole and fine
        print(f"{'ok    ' if fine else 'BROKEN'}  {sentence}")
    return whole
