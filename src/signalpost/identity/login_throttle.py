"""Failed sign-ins by e-mail address, counted in this process: guesses from many addresses are slowed down too."""

from signalpost.identity.errors import LoginThrottled
from signalpost.kit import clock
from signalpost.kit.lru import LruDict
from signalpost.web.limits import Bucket

FAILURES_MAX = 10
WINDOW_SECONDS = 900
ADDRESSES_MAX = 50_000


class LoginThrottle:
    """The failed sign-ins of one process: `context.state(LoginThrottle)`."""

    def __init__(self) -> None:
        self._buckets: LruDict[str, Bucket] = LruDict(ADDRESSES_MAX)

    def count_attempt(self, email: str) -> None:
        """Count an attempt before the password is checked, so that fifty at once do not all get through.

        Raises:
            LoginThrottled: ten failed within 15 minutes; one more is allowed every 90 seconds.
        """
        now = clock.monotonic()
        bucket = self._buckets.get(email.lower())
        if bucket is None:
            bucket = self._buckets[email.lower()] = Bucket(FAILURES_MAX, WINDOW_SECONDS, float(FAILURES_MAX), now)
        if not bucket.take(now):
            raise LoginThrottled(headers={"Retry-After": str(bucket.seconds_to_next)})

    def reset(self, email: str) -> None:
        """Forget the failures: a user who knows the password is not guessing."""
        self._buckets.pop(email.lower())
