"""Rate limits: one token bucket per credential, or per address where there is none. Kept in this process."""

from collections import OrderedDict
from dataclasses import dataclass
from time import time

from signalpost.kit import clock, problems

CREDENTIALS_MAX = 50_000
PER_ADDRESS = 30
LOGINS_PER_ADDRESS = 10
LOGIN_SECONDS = 900


@dataclass(slots=True)
class Bucket:
    """`tokens` of `capacity` are left; it fills up within `window_seconds`."""

    capacity: int
    window_seconds: int
    tokens: float
    at: float

    def take(self, now: float) -> bool:
        """Take one token if there is one."""
        self.tokens = min(self.capacity, self.tokens + (now - self.at) * self.capacity / self.window_seconds)
        self.at = now
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True

    @property
    def seconds_to_full(self) -> int:
        """Seconds until all tokens are back."""
        return int((self.capacity - self.tokens) * self.window_seconds / self.capacity) + 1

    @property
    def seconds_to_next(self) -> int:
        """Seconds until one token is there."""
        return max(1, int((1 - self.tokens) * self.window_seconds / self.capacity) + 1)


class Limiter:
    """Buckets by name, the least recently used forgotten first."""

    def __init__(self) -> None:
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def check(self, name: str, policy: str, capacity: int, window_seconds: int = 60) -> list[tuple[bytes, bytes]]:
        """Take one token of `name` and return the headers that tell how many are left.

        Raises:
            RateLimited: none is left; carries the same headers and Retry-After.
        """
        now = clock.monotonic()
        bucket = self._buckets.get(name)
        if bucket is None or bucket.capacity != capacity:
            bucket = self._buckets[name] = Bucket(capacity, window_seconds, float(capacity), now)
            if len(self._buckets) > CREDENTIALS_MAX:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(name)
        passed = bucket.take(now)
        left, full = int(bucket.tokens), bucket.seconds_to_full
        headers = [
            (b"ratelimit-policy", b'"%s";q=%d;w=%d' % (policy.encode(), capacity, window_seconds)),
            (b"ratelimit", b'"%s";r=%d;t=%d' % (policy.encode(), left, full)),
            (b"x-ratelimit-limit", b"%d" % capacity),
            (b"x-ratelimit-remaining", b"%d" % left),
            (b"x-ratelimit-reset", b"%d" % (int(time()) + full)),
        ]
        if passed:
            return headers
        wait = bucket.seconds_to_next
        raise problems.RateLimited(
            f"More than {capacity} in {window_seconds} seconds. Try again in {wait} seconds.",
            headers={name.decode(): value.decode() for name, value in headers} | {"retry-after": str(wait)},
        )
