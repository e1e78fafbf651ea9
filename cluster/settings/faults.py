"""Faults of a stack's settings, said in words: where, what was found, what to write instead."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Fault:
    """One thing that is wrong, at its kebab-case path."""

    path: str
    text: str

    def __str__(self) -> str:
        """Give the line a person reads."""
        return f"{self.path}: {self.text}"


class SettingsError(Exception):
    """The settings cannot be used; carries every fault."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        """Say all faults, sorted by path."""
        self.faults = tuple(sorted(set(faults)))
        count = "1 fault" if len(self.faults) == 1 else f"{len(self.faults)} faults"
        lines = "\n".join(f"  {fault}" for fault in self.faults)
        super().__init__(
            f"reading nodewright:cluster: {count} found, nothing was changed; correct and run again\n{lines}"
        )
