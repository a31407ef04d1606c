"""Failed sign-ins by e-mail address, kept in this process: guessing from many addresses at once is slowed down too."""

from collections import OrderedDict

from signalpost.identity.errors import LoginThrottled
from signalpost.kit import clock
from signalpost.web.limits import Bucket

FAILURES_MAX = 10
WINDOW_SECONDS = 900
ADDRESSES_MAX = 50_000

_failures: OrderedDict[str, Bucket] = OrderedDict()


def attempt(email: str) -> None:
    """Count an attempt before it is judged, so that fifty at once do not all pass.

    Raises:
        LoginThrottled: ten failed within a quarter of an hour; one more is free every 90 seconds.
    """
    now = clock.monotonic()
    bucket = _failures.setdefault(email.lower(), Bucket(FAILURES_MAX, WINDOW_SECONDS, float(FAILURES_MAX), now))
    _failures.move_to_end(email.lower())
    if len(_failures) > ADDRESSES_MAX:
        _failures.popitem(last=False)
    if not bucket.take(now):
        raise LoginThrottled(headers={"Retry-After": str(bucket.seconds_to_next)})


def passed(email: str) -> None:
    """Forget the failures: whoever knows the password is no guesser."""
    _failures.pop(email.lower(), None)
