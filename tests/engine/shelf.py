"""Stacks as they once were: a cluster of fakes is nothing but its state, so one that stands is made once and copied."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


class Shelf:
    """Keeps what a stack is made of: the backend's folder and the stack's file."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def take(self, directory: Path, name: str, config: Mapping[str, Any], make: Callable[[], object]) -> None:
        """Put a stack of that name and config there; the first who asks makes it."""
        told = json.dumps([name, config], sort_keys=True)
        kept = self._directory / hashlib.sha256(told.encode()).hexdigest()[:16]
        if kept.exists():
            shutil.rmtree(directory / ".pulumi", ignore_errors=True)
            shutil.copytree(kept, directory, dirs_exist_ok=True)
            return
        make()
        shutil.copytree(directory / ".pulumi", kept / ".pulumi")
        for file in directory.rglob(f"Pulumi.{name}.yaml"):
            (kept / file.relative_to(directory).parent).mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, kept / file.relative_to(directory))
