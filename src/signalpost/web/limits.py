"""Rate limits: one token bucket per credential, or per address for requests without one.

What is sold or protects is counted for the whole installation (`admit`), what guards a process by itself (`check`).
"""

from functools import lru_cache
from time import time

from msgspec import Struct

from signalpost.kit import clock, problems
from signalpost.kit.lru import LruDict
from signalpost.web.shared_buckets import Left, SharedBuckets

Header = tuple[bytes, bytes]
BUCKETS_MAX = 50_000
PER_ADDRESS = 30
PER_ADDRESS_OF_CONSOLE = 300
"""The console's page holds nothing of anybody and reads nothing, and link pages are read on phones: many people may
share an address."""
LOGINS_PER_ADDRESS = 10
LOGIN_SECONDS = 900
GUARD = 100_000
"""Tokens a minute from which on a limit guards a process rather than the installation: no plan sells as many."""


class Bucket(Struct):
    """A token bucket: `tokens` of `capacity` are left, and an empty one is full again after `window_seconds`."""

    capacity: int
    window_seconds: int
    tokens: float
    at: float

    def take(self, now: float) -> bool:
        """Take one token; return whether there was one."""
        self.refill(now)
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True

    def refill(self, now: float) -> None:
        """Add the tokens of the time since the last call."""
        self.tokens = min(self.capacity, self.tokens + (now - self.at) * self.capacity / self.window_seconds)
        self.at = now

    def left(self) -> Left:
        """Return what is left."""
        return Left(self.tokens, self.capacity, self.window_seconds)


class Limiter:
    """Token buckets by name; beyond `BUCKETS_MAX` the least recently used is dropped."""

    def __init__(self, shared: SharedBuckets | None = None) -> None:
        """Take the buckets that all processes share; None: this process is the only one."""
        self._buckets: LruDict[str, Bucket] = LruDict(BUCKETS_MAX)
        self._shared = shared

    def check(self, name: str, policy: str, capacity: int, window_seconds: int = 60) -> list[Header]:
        """Take one token of `name` in this process; return the headers that report how many are left.

        Raises:
            RateLimited: no token is left; it carries the same headers and Retry-After.
        """
        bucket = self._bucket(name, capacity, window_seconds)
        allowed = bucket.take(clock.monotonic())
        return _answer(bucket.left(), policy, allowed=allowed)

    async def admit(self, name: str, policy: str, capacity: int, window_seconds: int = 60) -> list[Header]:
        """Take one token of `name` in the whole installation; return the headers that report how many are left.

        Raises:
            RateLimited: no token is left; it carries the same headers and Retry-After.
            Unavailable: the database is needed and cannot be reached.
        """
        if self._shared is None or capacity >= GUARD:
            return self.check(name, policy, capacity, window_seconds)
        allowed, left = await self._shared.take(name, capacity, window_seconds)
        return _answer(left, policy, allowed=allowed)

    async def borrow(self, name: str, capacity: int) -> bool:
        """Take one token of `name` in the whole installation, to give it back; return whether there was one.

        Raises:
            Unavailable: the database is needed and cannot be reached.
        """
        if self._shared is None:
            return self._bucket(name, capacity, 60).take(clock.monotonic())
        return (await self._shared.take(name, capacity))[0]

    def give_back(self, name: str, capacity: int) -> None:
        """Give back a token that was borrowed."""
        if self._shared is None:
            bucket = self._bucket(name, capacity, 60)
            bucket.tokens = min(bucket.capacity, bucket.tokens + 1)
        else:
            self._shared.give_back(name)

    def _bucket(self, name: str, capacity: int, window_seconds: int) -> Bucket:
        bucket = self._buckets.get(name)
        if bucket is None or bucket.capacity != capacity:
            now = clock.monotonic()
            bucket = self._buckets[name] = Bucket(capacity, window_seconds, float(capacity), now)
        return bucket


def _answer(left: Left, policy: str, *, allowed: bool) -> list[Header]:
    """Return the headers that report what is left, or raise RateLimited with them."""
    tokens, full = max(0, int(left.tokens)), left.seconds_to_full
    quoted, policy_header, limit_header = _constant(policy, left.capacity, int(left.window_seconds))
    headers = [
        policy_header,
        (b"ratelimit", b"%b;r=%d;t=%d" % (quoted, tokens, full)),
        limit_header,
        (b"x-ratelimit-remaining", b"%d" % tokens),
        (b"x-ratelimit-reset", b"%d" % (int(time()) + full)),
    ]
    if allowed:
        return headers
    wait = left.seconds_to_next
    raise problems.RateLimited(
        f"More than {left.capacity} requests in {int(left.window_seconds)} seconds. Try again in {wait} seconds.",
        headers={name.decode(): value.decode() for name, value in headers} | {"retry-after": str(wait)},
    )


@lru_cache(maxsize=256)
def _constant(policy: str, capacity: int, window_seconds: int) -> tuple[bytes, Header, Header]:
    quoted = b'"%b"' % policy.encode()
    described = b"%b;q=%d;w=%d" % (quoted, capacity, window_seconds)
    return quoted, (b"ratelimit-policy", described), (b"x-ratelimit-limit", b"%d" % capacity)
