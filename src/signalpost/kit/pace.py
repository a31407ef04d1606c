"""Long work on the event loop in short steps."""

import asyncio

from signalpost.kit import clock

STEP_SECONDS = 0.002
"""After this time, other work of the process goes first."""


class Pace:
    """`await pace.keep()` between the parts of a piece of work that may be long together."""

    __slots__ = ("_began",)

    def __init__(self) -> None:
        self._began = clock.monotonic()

    async def keep(self) -> None:
        """Let others go first, if this step has taken its time."""
        if clock.monotonic() - self._began > STEP_SECONDS:
            await asyncio.sleep(0)
            self._began = clock.monotonic()
