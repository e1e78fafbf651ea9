"""Runs a program of the lab's root and tells what it said when it fails."""

import subprocess


class CommandError(Exception):
    pass


def run(*command: str, check: bool = True) -> str:
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if check and done.returncode != 0:
        message = f"{' '.join(command)}: exit code {done.returncode}: {done.stdout.strip()}"
        raise CommandError(message)
    return done.stdout
