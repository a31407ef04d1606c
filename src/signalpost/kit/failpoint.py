"""Failpoints: named places at which a test can kill this process, as a power cut would. Off unless armed."""

import os
from itertools import count

_EXIT_CODE = 137


class _Armed:
    """`name:n` kills at the n-th passage of that failpoint, `*:n` at the n-th passage of any."""

    def __init__(self, spec: str) -> None:
        self.name, _, number = spec.partition(":")
        self.number = int(number or 1)
        self.passages = count(1)


_armed = _Armed(spec) if (spec := os.environ.get("SIGNALPOST_TEST_FAILPOINT")) else None


def failpoint(name: str) -> None:
    """Pass this failpoint; if it is the armed one, end the process without any clean-up."""
    if _armed is not None and _armed.name in (name, "*") and next(_armed.passages) == _armed.number:
        os._exit(_EXIT_CODE)
