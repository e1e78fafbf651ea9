"""The one error that this package raises: a sentence for the person at the terminal."""


class ToolchainError(Exception):
    """What was being done: what was found; what to do."""
