"""Who may begin beside whom: targets that may have crashed a process run alone, so that the next crash names its cause.

A crash counts for everything that was in flight. The first one proves nothing, and its targets are begun again at once.
After the second one they are suspects: one at a time, in a process that does nothing else of its kind meanwhile. So a
target that ran beside the cause of a crash comes to its end, and only the cause crashes a third time.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from signalpost.kit import clock
from signalpost.publishing.attempt import Attempt
from signalpost.publishing.policy import CRASHES_MAX

LOOK_SECONDS: Final = 0.25
"""After this long a lane is looked at again whose target may not begin beside a suspect."""
PLACE_SECONDS: Final = 0.03
"""How long a suspect waits for each one before it: if a hundred wait, most are not looked at each time one ends."""
SEEN_SECONDS: Final = 1.0
"""A suspect that was not looked at again for this long does not wait any more: another process has begun it."""
DRAIN_SECONDS: Final = 15.0
"""How long nothing else begins, so that what is in flight ends before a suspect begins."""
FEW: Final = 3
"""So many long calls may be in flight beside a suspect when that time is over."""
ALONE_SECONDS_MAX: Final = 60.0
"""How long a suspect may take, since its process does nothing else meanwhile. One that takes longer is tried again like
any other whose network took too long; since it has not crashed, it is not a suspect then."""
TURN_SECONDS: Final = 10.0
"""How long suspects run one after the other before everything else has a turn. When none waits, their turn is over."""


def is_suspect(attempt: Attempt) -> bool:
    """Whether the target has crashed so often that once more would fail it."""
    return attempt.snapshot.crashes >= CRASHES_MAX - 1


def waits(attempts: Sequence[Attempt]) -> Iterator[tuple[Attempt, float]]:
    """Yield each attempt that may not begin now, with the seconds after which its lane is looked at again."""
    place = 0
    for attempt in attempts:
        if is_suspect(attempt):
            place += 1
            yield attempt, min(place * PLACE_SECONDS, SEEN_SECONDS / 2)
        else:
            yield attempt, LOOK_SECONDS


class Suspects:
    """What this process has in flight. One for all lanes of the process."""

    def __init__(self) -> None:
        self._in_flight: set[UUID] = set()
        self._alone: UUID | None = None  # the suspect that is in flight, or is about to be
        self._alone_at = 0.0
        self._waiting: dict[UUID, float] = {}  # accounts whose next target is a suspect; when that was seen last
        self._others_seen_at = float("-inf")
        self._turn_at: float | None = None  # since when suspects wait or run, while they have their turn
        self._turn_ends_at = 0.0
        self._others_until = float("-inf")  # everything else has its turn until then

    def admit(self, attempts: Sequence[Attempt]) -> list[Attempt]:
        """Return those that may begin now; the others have to wait."""
        now = clock.monotonic()
        suspects = [attempt for attempt in attempts if is_suspect(attempt)]
        others = [attempt for attempt in attempts if not is_suspect(attempt)]
        self._see(suspects, others, now)
        if self._is_alone(now):
            return []
        if not self._have_their_turn(now):
            return others
        assert self._turn_at is not None  # noqa: S101 - they have their turn
        beside = FEW if now - self._turn_at >= DRAIN_SECONDS else 0
        if not suspects or len(self._in_flight) > beside:
            return []
        self._alone, self._alone_at = suspects[0].id, now
        self._waiting.pop(suspects[0].due.account.id)
        self._turn_ends_at = min(self._turn_ends_at, now + TURN_SECONDS)
        return suspects[:1]

    @contextmanager
    def running(self, attempt: Attempt) -> Iterator[bool]:
        """Count an attempt that has begun for as long as it asks the network; yield whether it runs alone."""
        self._in_flight.add(attempt.id)
        try:
            yield self._alone == attempt.id
        finally:
            self._in_flight.discard(attempt.id)
            if self._alone == attempt.id:
                self._alone = None
                if not self._waiting:
                    self._end_turn(clock.monotonic())

    def _see(self, suspects: Sequence[Attempt], others: Sequence[Attempt], now: float) -> None:
        """Note who waits. A suspect that was not looked at again in time has been begun by another process."""
        for attempt in others:
            self._others_seen_at = now
            self._waiting.pop(attempt.due.account.id, None)
        for attempt in suspects:
            self._waiting[attempt.due.account.id] = now
        for account_id in [key for key, seen_at in self._waiting.items() if now - seen_at > SEEN_SECONDS]:
            del self._waiting[account_id]

    def _is_alone(self, now: float) -> bool:
        """Whether a suspect is in flight. One whose claim was rolled back never gets there."""
        if self._alone is not None and self._alone not in self._in_flight and now - self._alone_at > SEEN_SECONDS:
            self._alone = None
        return self._alone is not None

    def _have_their_turn(self, now: float) -> bool:
        """Whether suspects wait and it is their turn. A turn begins with the time in which others end."""
        others_wait = now - self._others_seen_at <= SEEN_SECONDS
        if not self._waiting or (self._turn_at is not None and now >= self._turn_ends_at):
            self._end_turn(now)
        if not self._waiting or (others_wait and now < self._others_until):
            return False
        if self._turn_at is None:
            self._turn_at, self._turn_ends_at = now, now + DRAIN_SECONDS + TURN_SECONDS
        return True

    def _end_turn(self, now: float) -> None:
        """Have everything else begin for as long as it was held up, but no longer than a turn."""
        if self._turn_at is not None:
            self._others_until = now + min(now - self._turn_at, TURN_SECONDS)
            self._turn_at = None
