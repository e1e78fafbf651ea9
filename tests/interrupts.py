"""The engine ends its plugins with the signal of Ctrl-C."""

import signal


def hear_interrupts() -> None:
    """Let this process and those it starts hear it.

    A shell that starts a job in a script's background lets it ignore the signal, and the plugins inherit that: each
    run of the engine would then wait five seconds for the language host, and five for each plugin in Python.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
