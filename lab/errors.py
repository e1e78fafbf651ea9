"""The one error that the lab shows to people: a sentence that says what to do."""


class LabError(Exception):
    """Something the person at the keyboard can act on."""
