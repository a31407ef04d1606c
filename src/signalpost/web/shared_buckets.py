"""Token buckets that all processes of an installation share: what is sold, or protects, is not multiplied by them.

The buckets are rows. A process leases tokens in chunks and spends them without asking; what it does not spend within a
moment it returns, so that other processes can. Whatever is spent was granted, so all processes together never spend
more than one bucket holds (decision 0311).
"""

import asyncio
import contextlib
from collections.abc import Sequence
from contextvars import Context
from hashlib import blake2b
from typing import Final, NamedTuple

from msgspec import Struct

from signalpost.kit import clock, problems
from signalpost.kit.db import Database, Db
from signalpost.kit.lru import LruDict
from signalpost.kit.patience import Patience, patience

BUCKETS_MAX: Final = 50_000
CHUNKS: Final = 10
"""A process leases at most this part of a bucket at a time."""
CHUNKED_MIN: Final = 100
"""Smaller buckets are leased token by token: a process that is killed loses what it leased, and they have few."""
UNUSED_SECONDS: Final = 0.5
"""What a process did not use for this long, it returns."""

ASK_SECONDS: Final = 2.0
"""How long a request waits for a lease; the rest of its time is for what it asks."""
PURGED_MAX: Final = 1_000
RETURNS_MAX: Final = 5
"""How often a process tries to return what it did not use; after that it comes back with time."""

_TAKE: Final = "select granted, tokens_left from take_request_tokens($1, $2, $3, $4)"
# Skips a bucket that someone else takes from right now, and returns the names of the others.
_GIVE_BACK: Final = """
with free as materialized (
    select b.name from request_bucket b where b.name = any($1) order by b.name for no key update skip locked
)
update request_bucket b set full_at = b.full_at - make_interval(secs => r.seconds)
from free f join unnest($1::bytea[], $2::float8[]) as r(name, seconds) on r.name = f.name where b.name = f.name
returning b.name
"""
_FORGET: Final = "delete from request_bucket where name = any($1)"
_PURGE: Final = """
delete from request_bucket where name = any(array(
    select name from request_bucket where full_at < now() limit $1 for update skip locked))
"""


class Want(NamedTuple):
    """One token of the bucket `name`, which holds `capacity`."""

    name: str
    capacity: int


class Left(NamedTuple):
    """What is left of a bucket: `tokens` of `capacity`, which a window of `window_seconds` fills."""

    tokens: float
    capacity: int
    window_seconds: float

    @property
    def seconds_to_full(self) -> int:
        """Seconds until the bucket is full."""
        return int((self.capacity - self.tokens) * self.window_seconds / self.capacity) + 1

    @property
    def seconds_to_next(self) -> int:
        """Seconds until there is a token to take."""
        return max(1, int((1 - self.tokens) * self.window_seconds / self.capacity) + 1)


async def take_each(database: Database, wants: Sequence[Want], window_seconds: float) -> tuple[int, Left] | None:
    """Take a token of each bucket, in this order, until one has none.

    Returns:
        the place of that one in `wants`, and when it has tokens again; None: all had one.
    """
    names, capacities = [_digest(want.name) for want in wants], [want.capacity for want in wants]
    async with database.reserve.connection() as db:
        rows = await db.fetch(_TAKE, names, capacities, [1] * len(wants), float(window_seconds))
    granted, left = rows[-1]
    place = len(rows) - 1
    return None if granted else (place, Left(left, capacities[place], window_seconds))


async def give_back(database: Database, wants: Sequence[Want], window_seconds: float) -> None:
    """Give back a token of each of these buckets."""
    names = [_digest(want.name) for want in wants]
    async with database.reserve.connection() as db:
        await db.execute(_GIVE_BACK, names, [window_seconds / want.capacity for want in wants])


async def forget(database: Database, names: Sequence[str]) -> None:
    """Make these buckets full."""
    async with database.reserve.connection() as db:
        await db.execute(_FORGET, [_digest(name) for name in names])


async def purge(db: Db) -> int:
    """Delete up to `PURGED_MAX` rows of buckets that are full again; return how many there were."""
    return int((await db.execute(_PURGE, PURGED_MAX)).rpartition(" ")[2])


def _digest(name: str) -> bytes:
    return blake2b(name.encode(), digest_size=16).digest()


class _Lease(Struct):
    """What this process holds of a bucket."""

    name: str
    capacity: int
    window_seconds: float
    tokens: int = 0
    others: float = 0.0
    """What the bucket had left for everyone at the last look, `looked_at`."""
    looked_at: float = 0.0
    refused_until: float = 0.0
    used_at: float = 0.0
    asking: "asyncio.Task[None] | None" = None

    def left(self, now: float) -> Left:
        """Return what is left, as far as known here."""
        filled = (now - self.looked_at) * self.capacity / self.window_seconds
        tokens = min(self.capacity, self.others + filled + self.tokens)
        return Left(tokens, self.capacity, self.window_seconds)


class SharedBuckets:
    """The leases of one process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._leases: LruDict[str, _Lease] = LruDict(BUCKETS_MAX)
        self._holding: dict[str, _Lease] = {}
        self._sweep_timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def take(self, name: str, capacity: int, window_seconds: float = 60) -> tuple[bool, Left]:
        """Take a token; return whether there was one, and what is left.

        Raises:
            Unavailable, TimeoutError: the database is needed and cannot be reached.
        """
        lease = self._leases.get(name)
        if lease is None or lease.capacity != capacity:
            lease = self._leases[name] = _Lease(name, capacity, window_seconds)
        while not lease.tokens:
            if clock.monotonic() < lease.refused_until:
                return False, lease.left(clock.monotonic())
            if lease.asking is None:
                # In a context of its own: whoever asks first asks for all, and may go away meanwhile.
                context = Context()
                context.run(patience.set, Patience(ASK_SECONDS))
                task = asyncio.get_running_loop().create_task(self._ask(lease), context=context)
                task.add_done_callback(lambda task: task.cancelled() or task.exception())
                lease.asking = task
            await asyncio.shield(lease.asking)
        lease.tokens -= 1
        lease.used_at = now = clock.monotonic()
        return True, lease.left(now)

    def give_back(self, name: str) -> None:
        """Give back a token that was taken here."""
        lease = self._leases.get(name)
        if lease is not None:
            lease.tokens += 1
            lease.used_at = clock.monotonic()
            self._hold(lease)

    async def _ask(self, lease: _Lease) -> None:
        try:
            chunk = lease.capacity // CHUNKS if lease.capacity >= CHUNKED_MIN else 1
            async with self._database.reserve.connection() as db:
                row = await db.fetchrow(
                    _TAKE, [_digest(lease.name)], [lease.capacity], [chunk], float(lease.window_seconds)
                )
        finally:
            lease.asking = None
        assert row is not None  # noqa: S101 - a row for each name
        lease.looked_at = now = clock.monotonic()
        lease.others = row["tokens_left"]
        if row["granted"]:
            lease.tokens += row["granted"]
            lease.used_at = now
            self._hold(lease)
        else:
            seconds = (1 - lease.others) * lease.window_seconds / lease.capacity
            lease.refused_until = now + min(seconds, UNUSED_SECONDS)  # sooner if another process returns some

    def _hold(self, lease: _Lease) -> None:
        self._holding[lease.name] = lease
        if self._sweep_timer is None:
            self._sweep_timer = asyncio.get_running_loop().call_later(UNUSED_SECONDS, self._sweep)

    def _sweep(self) -> None:
        """Return the tokens that nobody used for a while."""
        now, self._sweep_timer = clock.monotonic(), None
        unused = []
        for name, lease in list(self._holding.items()):
            if not lease.tokens:
                del self._holding[name]
            elif now - lease.used_at >= UNUSED_SECONDS:
                del self._holding[name]
                unused.append((_digest(name), lease.tokens * lease.window_seconds / lease.capacity))
                lease.others, lease.tokens = lease.left(now).tokens, 0
                lease.looked_at = now
        if unused:
            task = asyncio.get_running_loop().create_task(self._return(unused), context=Context())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        if self._holding:
            self._sweep_timer = asyncio.get_running_loop().call_later(UNUSED_SECONDS, self._sweep)

    async def _return(self, unused: list[tuple[bytes, float]]) -> None:
        with contextlib.suppress(problems.Unavailable):  # they come back with time
            for _ in range(RETURNS_MAX):
                names, seconds = map(list, zip(*unused, strict=True))
                async with self._database.reserve.connection() as db:
                    returned = {row["name"] for row in await db.fetch(_GIVE_BACK, names, seconds)}
                unused = [lease for lease in unused if lease[0] not in returned]
                if not unused:
                    return
                await asyncio.sleep(UNUSED_SECONDS / 10)
