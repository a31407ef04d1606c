"""Whether the database clock, by which everything is due, runs evenly. No I/O."""

import time

STEP_SECONDS = 2.0
FIRST_SECONDS = 10.0
"""How far database and machine may be apart at first: clocks without NTP drift, and seconds early do no harm."""
TRUST_AFTER_SECONDS = 300.0


def boottime() -> float:
    """Return seconds that never step and also count while the machine is suspended; only differences mean something."""
    return time.clock_gettime(_CLOCK)


_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class ClockGuard:
    """Compares readings of the database clock with our own boot-time clock. Slow drift (NTP slewing) is followed.

    The first reading is compared with the wall clock of this machine. After a step, or if the two do not agree, nobody
    can say which time is right, so sources that publish are paused. They resume when the database clock is back where
    it should be, or when for five minutes it ran evenly *and* agreed with the wall clock of this machine; otherwise
    when an operator says so (`accept`), or after a step restarts all workers (see decision 0031).
    """

    def __init__(self) -> None:
        self.stepped = False
        """Whether the database clock jumped while we looked: evidence for all workers, not only for this one."""
        self.seen_problem: str | None = None
        """What is wrong by our own readings."""
        self._reported: str | None = None
        self._offset: float | None = None  # database clock minus our clock, seconds
        self._candidate: float | None = None
        self._candidate_since = 0.0

    @property
    def problem(self) -> str | None:
        """Why publishing is paused; a sentence for a person. None: nothing is wrong."""
        return self.seen_problem or self._reported

    def report(self, problem: str | None) -> None:
        """Obey what another worker reports; None: all others find the clock right."""
        self._reported = problem

    def observe(self, database: float, sent: float, received: float) -> bool:
        """Take a reading (epoch seconds, made between `sent` and `received`); return whether to trust the clock."""
        low, high = database - received, database - sent
        if self._offset is None and not self._agrees_with_machine(database, FIRST_SECONDS + received - sent):
            apart = database - time.time()
            self.seen_problem = (
                f"The database clock and the clock of this machine are {abs(apart):.0f} s apart."
                " Publishing is paused until they agree."
            )
            self._candidate = (low + high) / 2
            return False
        if self._offset is None or _distance(self._offset, low, high) <= STEP_SECONDS:
            self._offset = low if self._offset is None else min(max(self._offset, low), high)
            self._candidate = self.seen_problem = None
            self.stepped = False
            return self._reported is None
        return self._observe_step(database, low, high, received)

    def accept(self) -> None:
        """Take the current time of the database as right from now on."""
        self._offset, self._candidate, self.seen_problem, self.stepped = self._candidate, None, None, False

    def _observe_step(self, database: float, low: float, high: float, received: float) -> bool:
        assert self._offset is not None  # noqa: S101 - the caller compared with it
        step = (low + high) / 2 - self._offset
        self.seen_problem = f"The database clock jumped by {step:+.0f} s. Publishing is paused until it can be trusted."
        self.stepped = True
        if self._candidate is None or _distance(self._candidate, low, high) > STEP_SECONDS:
            self._candidate, self._candidate_since = (low + high) / 2, received
        elif not self._agrees_with_machine(database, STEP_SECONDS):
            self._candidate_since = received
        elif received - self._candidate_since >= TRUST_AFTER_SECONDS:
            self.accept()
            return self._reported is None
        return False

    def _agrees_with_machine(self, database: float, seconds: float) -> bool:
        return abs(database - time.time()) <= seconds


def _distance(value: float, low: float, high: float) -> float:
    return max(low - value, value - high, 0.0)
