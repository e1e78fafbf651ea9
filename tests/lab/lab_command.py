"""The lab's command as a person gives it, in whatever cache the test has set."""

import subprocess
import sys


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "lab", *arguments], capture_output=True, text=True, check=False)
