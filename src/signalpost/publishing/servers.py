"""The networks' servers as this process sees them: a slow one gets a part of the lanes, a broken one is left alone.

See decision 0084.
"""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from signalpost.kit import clock
from signalpost.kit.lru import LruDict

CALLS_MAX: Final = 64
"""Attempts under way at one server: a quarter of the lanes."""
FULL_SECONDS: Final = 1.0
"""How long an account waits before it is looked at again, while its server has so many."""
ACCOUNTS_MIN: Final = 3
WITHIN_SECONDS: Final = 60.0
"""A server is broken when the attempts of so many accounts failed within this time, and none succeeded meanwhile."""
PROBE_SECONDS: Final = (5.0, 60.0)
"""The first and the longest wait before a broken server is asked again; each failure doubles it."""
SERVERS_MAX: Final = 1_000


class _Failures:
    """What a server has done wrong since it last answered."""

    def __init__(self) -> None:
        self.accounts: dict[UUID, float] = {}
        self.wait_seconds = 0.0  # 0: it is not taken for broken
        self.probe_at = 0.0
        self.probing = False


class Servers:
    """Says who may ask a server now. Of this process: with several, each finds out for itself."""

    def __init__(self) -> None:
        self._under_way: Counter[str] = Counter()
        self._failures: LruDict[str, _Failures] = LruDict(SERVERS_MAX)

    def is_broken(self, server: str) -> bool:
        """Whether the server is only asked now and then; such a try does not count."""
        failures = self._failures.get(server)
        return failures is not None and failures.wait_seconds > 0

    def admit(self, server: str, admitted: Counter[str]) -> float:
        """Admit an attempt: return 0 and count it in `admitted`, or return how long its account has to wait.

        Args:
            server: the server that it asks.
            admitted: attempts that are about to begin, by server; `asking` counts them once they run.
        """
        if self._under_way[server] + admitted[server] >= CALLS_MAX:
            return _spread(FULL_SECONDS)
        failures = self._failures.get(server)
        if failures is not None and failures.wait_seconds:
            left = failures.probe_at - clock.monotonic()
            if left > 0:
                return _spread(left)
            failures.probe_at += failures.wait_seconds - left  # the next one, should this never end
            failures.probing = True
        admitted[server] += 1
        return 0.0

    @contextmanager
    def asking(self, server: str) -> Iterator[None]:
        """Count an attempt while it asks the server."""
        self._under_way[server] += 1
        try:
            yield
        finally:
            self._under_way[server] -= 1
            if not self._under_way[server]:
                del self._under_way[server]

    def failed(self, server: str, account_id: UUID) -> None:
        """Note that the server gave no usable answer."""
        now = clock.monotonic()
        failures = self._failures.get(server) or _Failures()
        self._failures[server] = failures
        failures.accounts[account_id] = now
        failures.accounts = {other: at for other, at in failures.accounts.items() if now - at < WITHIN_SECONDS}
        shortest, longest = PROBE_SECONDS
        if failures.wait_seconds:
            if failures.probing:  # otherwise it is one of those that were under way already
                failures.probing = False
                failures.wait_seconds = min(2 * failures.wait_seconds, longest)
                failures.probe_at = now + failures.wait_seconds
        elif len(failures.accounts) >= ACCOUNTS_MIN:
            failures.wait_seconds = shortest
            failures.probe_at = now + shortest

    def answered(self, server: str) -> None:
        """Note that the server works."""
        self._failures.pop(server)


def _spread(seconds: float) -> float:
    return seconds * (1 + 0.2 * random.random())  # noqa: S311 - spreads load
