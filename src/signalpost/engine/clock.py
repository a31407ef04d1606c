"""Whether the database clock, by which everything is due, runs evenly. No I/O."""

import time

STEP_SECONDS = 2.0
TRUST_AFTER_SECONDS = 300.0


def boottime() -> float:
    """Return seconds that never step and also count while the machine is suspended; only differences mean something."""
    return time.clock_gettime(_CLOCK)


_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class ClockGuard:
    """Compares readings of the database clock with our own boot-time clock. Slow drift (NTP slewing) is followed.

    After a step nobody can say which time was right, so sources that publish are paused. They resume when the database
    clock is back where it should be, or when for five minutes it ran evenly *and* agreed with the wall clock of this
    machine; otherwise when an operator says so (`accept`) or restarts the service (see docs/decisions/0031).
    """

    def __init__(self) -> None:
        self._offset: float | None = None  # database clock minus our clock, seconds
        self._candidate: float | None = None
        self._candidate_since = 0.0
        self.problem: str | None = None

    def observe(self, database: float, sent: float, received: float) -> bool:
        """Take a reading (epoch seconds, made between `sent` and `received`); return whether to trust the clock."""
        low, high = database - received, database - sent
        if self._offset is None or _distance(self._offset, low, high) <= STEP_SECONDS:
            self._offset = low if self._offset is None else min(max(self._offset, low), high)
            self._candidate = self.problem = None
            return True
        step = (low + high) / 2 - self._offset
        self.problem = f"The database clock jumped by {step:+.0f} s. Publishing is paused until it can be trusted."
        if self._candidate is None or _distance(self._candidate, low, high) > STEP_SECONDS:
            self._candidate, self._candidate_since = (low + high) / 2, received
        elif _distance(database, time.time() - STEP_SECONDS, time.time() + STEP_SECONDS) > 0:
            self._candidate_since = received
        elif received - self._candidate_since >= TRUST_AFTER_SECONDS:
            self.accept()
            return True
        return False

    def accept(self) -> None:
        """Take the current time of the database as right from now on."""
        self._offset, self._candidate, self.problem = self._candidate, None, None


def _distance(value: float, low: float, high: float) -> float:
    return max(low - value, value - high, 0.0)
