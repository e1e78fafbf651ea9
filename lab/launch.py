"""`lab up`: checks, builds what is missing, starts process 1 and waits until a server can be booted."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lab import alive, host, images, lock, paths, root, servers, teardown
from lab.errors import LabError

Say = Callable[[str], None]

LIMIT_S = 600.0
# In this time a running supervisor has seen new wishes (features, images) and says so in its status.
NOTICE_S = 1.5
# Restarts of one unit in this start, after which waiting longer is no use.
HOPELESS_RESTARTS = 4


def up(say: Say, features: list[str], wanted_images: Collection[str] = images.NAMES) -> None:
    """Idempotent: a lab that is up stays up, one that is half up is brought to its end."""
    started = time.monotonic()
    host.check()
    with lock.held(paths.home() / "up.lock", say, "another `lab up` or `lab down`"):
        host.raise_inotify_limit(say)
        base, directories = build_missing(say, wanted_images)
        publish_images(directories)
        remember(features)
        if alive.pid():
            say("the lab is up already; looking whether it is ready")
            time.sleep(NOTICE_S)
        else:
            start(base, say)
        name_namespace()
    # Without the lock: whoever loses patience may say `lab down`.
    wait_until_ready(say)
    publish_clouds()
    remove_older_images(say)
    say(f"the lab is ready ({time.monotonic() - started:.0f} s); try: bin/lab openstack server list")


def build_missing(say: Say, names: Collection[str]) -> tuple[Path, dict[str, Path]]:
    """OpenStack's root directory and those of images, side by side: installing packages keeps one processor busy."""
    say("looking for OpenStack's root directory and the images of servers (built once, then kept)")
    with ThreadPoolExecutor(1) as beside:
        directories = beside.submit(images.ensure, names, progress=say)
        return root.ensure(say), directories.result()


def publish_images(directories: dict[str, Path]) -> None:
    """Write down which images the cloud shall offer; the supervisor enters them in Glance."""
    wanted = {name: directory.name for name, directory in directories.items()}
    write(paths.run() / "images.json", json.dumps(wanted))


def remember(features: list[str]) -> None:
    for feature in features:
        (paths.state() / "features").mkdir(parents=True, exist_ok=True)
        (paths.state() / "features" / feature).touch()


def start(base: Path, say: Say) -> None:
    """Process 1 in new namespaces. What a life that ended badly left behind goes first."""
    teardown.remove_leftovers()
    root.remove_older(base)
    for directory in (paths.state(), paths.run(), paths.logs(), paths.home() / "images"):
        directory.mkdir(parents=True, exist_ok=True)
    (paths.run() / "status.json").unlink(missing_ok=True)
    shutil.rmtree(paths.run() / "overlay", ignore_errors=True)
    say("starting OpenStack in namespaces of its own")
    environment = os.environ | {
        "ROOT": str(base),
        "CACHE": str(paths.home()),
        "PACKAGE": str(paths.PACKAGE),
        "LAB_NAME": alive.name(),
    }
    namespaces = ("--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "--kill-child=KILL")
    with (paths.logs() / "supervisor.log").open("wb") as log:
        child = subprocess.Popen(
            ["unshare", *namespaces, "--propagation", "private", str(paths.PACKAGE / "enter.sh")],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=environment,
            cwd="/",
        )
    while not alive.pid():
        if child.poll() is not None:
            message = f"starting the lab: {last_words('supervisor.log')}"
            raise LabError(message)
        time.sleep(0.05)


def name_namespace() -> None:
    """So that `ip netns` shows it and `lab exec` finds it."""
    if not alive.netns().exists():
        subprocess.run(["ip", "netns", "attach", alive.name(), str(alive.require_pid())], check=True)


def wait_until_ready(say: Say) -> None:
    started = time.monotonic()
    said = ""
    while time.monotonic() - started < LIMIT_S:
        status = alive.status()
        if status.get("ready"):
            return
        if not alive.pid():
            message = f"waiting for the lab: its process 1 ended: {last_words('supervisor.log')}"
            raise LabError(message)
        now = progress(status)
        if now != said:
            say(f"{time.monotonic() - started:4.0f} s  {now}")
            said = now
        refuse_hopeless(status.get("units", {}))
        time.sleep(0.5)
    message = f"waiting for the lab: not ready after {LIMIT_S:.0f} s, {said}; see: bin/lab doctor"
    raise LabError(message)


def progress(status: dict[str, Any]) -> str:
    """What is being waited for right now; not what waits for that in turn."""
    units = status.get("units", {})
    good = sum(unit["state"] in ("up", "done") for unit in units.values())
    busy = [name for name in status.get("waiting_for", ["supervisor"]) if units.get(name, {}).get("state") != "waiting"]
    return f"{good:2} of {len(units)} parts are there, waiting for {', '.join(busy)}"


def refuse_hopeless(units: dict[str, dict[str, Any]]) -> None:
    for name, unit in units.items():
        if unit["state"] == "failed" and unit["restarts"] >= HOPELESS_RESTARTS:
            message = f"waiting for the lab: {name} keeps failing: {last_words(f'{name}.log')}"
            raise LabError(message)


def remove_older_images(say: Say) -> None:
    """What earlier recipes left in the cache, gigabytes a time; but not what servers stand on or what is offered."""
    # A server that is being made may stand on an image that stepped aside this moment, and has not said so yet.
    if servers.changing():
        return
    images.prune(servers.images_below() | servers.images_offered(), progress=say)


def last_words(log: str) -> str:
    path = paths.logs() / log
    lines = [line for line in path.read_text(errors="replace").splitlines() if line.strip()] if path.exists() else []
    return f"{' | '.join(lines[-2:]) or 'it said nothing'} (whole log: {path})"


def publish_clouds() -> None:
    """The user's clouds.yaml, readable by the user only."""
    target = paths.clouds_yaml()
    target.touch(mode=0o600)
    target.write_text((paths.state() / "clouds.yaml").read_text())


def write(path: Path, text: str) -> None:
    """Whole or not at all: the supervisor may read it at any moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".unfinished")
    unfinished.write_text(text)
    unfinished.rename(path)
