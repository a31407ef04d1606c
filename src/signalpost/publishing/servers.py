"""The networks' servers: a slow one gets a part of the lanes of this process, a broken one is left alone by all.

See decisions 0084 and 0479.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from signalpost.kit.db import Db
from signalpost.publishing.troubles import Troubles

CALLS_MAX: Final = 64
"""Attempts under way at one server, of this process: a quarter of its lanes."""
FULL_SECONDS: Final = 1.0
"""How long an account waits before it is looked at again, while its server has so many."""


class Servers:
    """Says who may ask a server now."""

    def __init__(self, troubles: Troubles) -> None:
        self._troubles = troubles
        self._under_way: Counter[str] = Counter()
        self._probing: set[str] = set()

    def is_broken(self, server: str) -> bool:
        """Whether the server is only asked now and then; such a try does not count."""
        return self._troubles.is_broken(_name(server))

    async def begin_probes(self, db: Db, servers: Iterable[str | None]) -> set[str]:
        """Return those of the servers of a claim that are broken and that one of its attempts asks nevertheless."""
        due = {
            _name(server): server
            for server in servers
            if server is not None
            and self.is_broken(server)
            and self._troubles.seconds_left(_name(server)) <= 0
            and self._under_way[server] < CALLS_MAX
        }
        probes = {due[name] for name in await self._troubles.begin_probes(db, due)}
        self._probing |= probes
        return probes

    def admit(self, server: str, admitted: Counter[str], probes: set[str]) -> float:
        """Admit an attempt: return 0 and count it in `admitted`, or return how long its account has to wait.

        Args:
            server: the server that it asks.
            admitted: attempts that are about to begin, by server; `asking` counts them once they run.
            probes: of `begin_probes`; the attempt that may ask a broken server takes it out.
        """
        if self._under_way[server] + admitted[server] >= CALLS_MAX:
            return _spread(FULL_SECONDS)
        if server in probes:
            probes.remove(server)
        elif self.is_broken(server):
            return _spread(max(self._troubles.seconds_left(_name(server)), FULL_SECONDS))
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

    async def failed(self, server: str, account_id: UUID) -> None:
        """Note that the server gave no usable answer. Of a broken one only the answer to a probe counts."""
        if server in self._probing:
            self._probing.remove(server)
            await self._troubles.probe_failed(_name(server))
        elif not self.is_broken(server):
            await self._troubles.failed(_name(server), account_id)

    async def answered(self, server: str) -> None:
        """Note that the server works."""
        self._probing.discard(server)
        await self._troubles.works(_name(server))


def _name(server: str) -> str:
    return f"server {server}"


def _spread(seconds: float) -> float:
    return seconds * (1 + 0.2 * random.random())  # noqa: S311 - spreads load
