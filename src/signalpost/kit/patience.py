"""How long a request may wait for the database: all its statements together, and every one of them."""

from contextvars import ContextVar
from typing import Final

from signalpost.kit import clock

REQUEST_SECONDS: Final = 8.5
"""Of all statements of a request, with finding connections. With `END_SECONDS`, its answer comes within ten seconds."""
STATEMENT_SECONDS: Final = 6.0
"""Of one statement of a request that says nothing else."""
END_SECONDS: Final = 1.0
"""What a request always has to end its transaction, and to give back an Idempotency-Key."""


class Patience:
    """The time that the statements of a task may still take. Time without a statement does not count: who sends a file,
    or waits for a network, loses nothing. Of statements beside each other the time counts once.
    """

    __slots__ = ("_began", "_left", "_running")

    def __init__(self, seconds: float | None = None) -> None:
        self._left = REQUEST_SECONDS if seconds is None else seconds
        self._running = 0
        self._began = 0.0

    def begin(self, seconds: float | None = None, *, is_end: bool = False) -> float:
        """Begin something that would wait so many seconds; return how many it may. Every `begin` has its `end`.

        Raises:
            TimeoutError: there are none left; then no `end` follows. With `is_end` there always are some.
        """
        now = clock.monotonic()
        left = self._left - (now - self._began) if self._running else self._left
        if is_end:
            left = max(left, END_SECONDS)
        elif left <= 0:
            raise TimeoutError("the statements of this request have used up their time")
        if not self._running:
            self._began = now
        self._running += 1
        return min(left, STATEMENT_SECONDS if seconds is None else seconds)

    def end(self) -> None:
        """End what began."""
        self._running -= 1
        if not self._running:
            self._left -= clock.monotonic() - self._began

    def allow_end(self) -> None:
        """Leave time for what has to follow a request that had none left."""
        self._left = max(self._left, END_SECONDS)


patience: ContextVar[Patience | None] = ContextVar("patience", default=None)
"""The patience of this task; None: each statement has `kit.db.STATEMENT_SECONDS`."""
