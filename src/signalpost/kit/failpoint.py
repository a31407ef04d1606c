"""Named places at which a test may kill this process, as a power cut would. Off unless the environment arms one."""

import os
from itertools import count

_EXIT_CODE = 137


class _Armed:
    """`name:n`: die at the n-th passing of that place; `*:n`: at the n-th passing of any."""

    def __init__(self, wish: str) -> None:
        self.name, _, number = wish.partition(":")
        self.number = int(number or 1)
        self.passed = count(1)


_armed = _Armed(wish) if (wish := os.environ.get("SIGNALPOST_TEST_FAILPOINT")) else None


def failpoint(name: str) -> None:
    """Pass this place; end the process without any clean-up if it is the armed one."""
    if _armed is not None and _armed.name in (name, "*") and next(_armed.passed) == _armed.number:
        os._exit(_EXIT_CODE)
