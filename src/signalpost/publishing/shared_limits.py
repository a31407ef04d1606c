"""Whether a rate limit concerns one account or all accounts on its server. Of this process; a restart forgets it."""

from typing import Final
from uuid import UUID

from signalpost.kit import clock
from signalpost.kit.lru import LruDict

ACCOUNTS_MIN: Final = 3
"""So many accounts have to meet the limit within `WITHIN_SECONDS`, while none publishes: one alone may have used up its
own, and so may all of one tenant."""
WITHIN_SECONDS: Final = 60.0
BUCKETS_MAX: Final = 1_000


class SharedLimits:
    """Remembers which accounts met the limit of a bucket lately."""

    def __init__(self) -> None:
        self._met: LruDict[str, dict[UUID, float]] = LruDict(BUCKETS_MAX)

    def knows(self, bucket: str) -> bool:
        """Return whether `add` was called for a bucket, not too long ago."""
        return self._met.get(bucket) is not None

    def add(self, bucket: str) -> None:
        """Know a bucket from now on."""
        if not self.knows(bucket):
            self._met[bucket] = {}

    def published(self, bucket: str) -> None:
        """Note that an account published: whoever met a limit before met its own."""
        if self._met.get(bucket):
            self._met[bucket] = {}

    def met(self, bucket: str, account_id: UUID) -> bool:
        """Note that an account met the limit; return whether enough others have met it that all have to wait."""
        now = clock.monotonic()
        accounts = self._met.get(bucket) or {}
        accounts = {other: at for other, at in accounts.items() if now - at < WITHIN_SECONDS}
        accounts[account_id] = now
        self._met[bucket] = accounts
        return len(accounts) >= ACCOUNTS_MIN
