"""What can go wrong with an operation, and the exit code that says so."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of `nodewright`; documented in docs/operations.md and kept."""

    DONE = 0
    INTERNAL = 1
    USAGE = 2
    REFUSED = 3
    FAILED = 4
    BUSY = 5
    NO_STACK = 6
    NO_ACCESS = 7


class LifecycleError(Exception):
    """An operation did not happen or did not end well; the text says what was being done, found, and what to do."""

    def __init__(self, code: Exit, text: str) -> None:
        """Keep the exit code beside the sentence."""
        self.code = code
        super().__init__(text)
