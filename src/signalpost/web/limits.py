"""Rate limits: one token bucket per credential, or per address for requests without one. Each process has its own."""

from dataclasses import dataclass
from functools import lru_cache
from time import time

from signalpost.kit import clock, problems
from signalpost.kit.lru import LruDict

Header = tuple[bytes, bytes]
BUCKETS_MAX = 50_000
PER_ADDRESS = 30
PER_ADDRESS_OF_CONSOLE = 300
"""The console's page holds nothing of anybody and reads nothing; many people may share an address."""
LOGINS_PER_ADDRESS = 10
LOGIN_SECONDS = 900


@dataclass(slots=True)
class Bucket:
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

    @property
    def seconds_to_full(self) -> int:
        """Seconds until the bucket is full."""
        return int((self.capacity - self.tokens) * self.window_seconds / self.capacity) + 1

    @property
    def seconds_to_next(self) -> int:
        """Seconds until there is a token to take."""
        return max(1, int((1 - self.tokens) * self.window_seconds / self.capacity) + 1)


class Limiter:
    """Token buckets by name; beyond `BUCKETS_MAX` the least recently used is dropped."""

    def __init__(self) -> None:
        self._buckets: LruDict[str, Bucket] = LruDict(BUCKETS_MAX)

    def check(self, name: str, policy: str, capacity: int, window_seconds: int = 60) -> list[Header]:
        """Take one token of `name`; return the headers that report how many are left.

        Raises:
            RateLimited: no token is left; it carries the same headers and Retry-After.
        """
        now = clock.monotonic()
        bucket = self._buckets.get(name)
        if bucket is None or bucket.capacity != capacity:
            bucket = self._buckets[name] = Bucket(capacity, window_seconds, float(capacity), now)
        allowed = bucket.take(now)
        left, full = int(bucket.tokens), bucket.seconds_to_full
        quoted, policy_header, limit_header = _constant(policy, capacity, window_seconds)
        headers = [
            policy_header,
            (b"ratelimit", b"%b;r=%d;t=%d" % (quoted, left, full)),
            limit_header,
            (b"x-ratelimit-remaining", b"%d" % left),
            (b"x-ratelimit-reset", b"%d" % (int(time()) + full)),
        ]
        if allowed:
            return headers
        wait = bucket.seconds_to_next
        raise problems.RateLimited(
            f"More than {capacity} requests in {window_seconds} seconds. Try again in {wait} seconds.",
            headers={name.decode(): value.decode() for name, value in headers} | {"retry-after": str(wait)},
        )

    def left(self, name: str, capacity: int) -> int:
        """Return how many tokens of `name` are left, without taking one."""
        bucket = self._buckets.get(name)
        if bucket is None:
            return capacity
        bucket.refill(clock.monotonic())
        return int(bucket.tokens)


@lru_cache(maxsize=256)
def _constant(policy: str, capacity: int, window_seconds: int) -> tuple[bytes, Header, Header]:
    quoted = b'"%b"' % policy.encode()
    described = b"%b;q=%d;w=%d" % (quoted, capacity, window_seconds)
    return quoted, (b"ratelimit-policy", described), (b"x-ratelimit-limit", b"%d" % capacity)
