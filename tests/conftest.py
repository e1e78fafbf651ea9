"""What all tests share."""

from tests.interrupts import hear_interrupts


def pytest_configure() -> None:
    hear_interrupts()
