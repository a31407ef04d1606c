"""Failed sign-ins, counted in this process: by e-mail address, and by the network and address that they come from."""

import ipaddress

from signalpost.identity.errors import LoginThrottled
from signalpost.kit import clock
from signalpost.kit.lru import LruDict
from signalpost.web.limits import Bucket

FAILURES_OF_ADDRESS = 10
FAILURES_OF_NETWORK = 30
FAILURES_OF_EMAIL = 100
WINDOW_SECONDS = 900
BUCKETS_MAX = 50_000  # of each kind
RECORDED_MAX, RECORDED_SECONDS = 10, 3_600


class LoginThrottle:
    """The failed sign-ins of one process: `context.state(LoginThrottle)`."""

    def __init__(self) -> None:
        self._by_address: LruDict[str, Bucket] = LruDict(BUCKETS_MAX)
        self._by_network: LruDict[str, Bucket] = LruDict(BUCKETS_MAX)
        self._by_email: LruDict[str, Bucket] = LruDict(BUCKETS_MAX)
        self._recorded: LruDict[str, Bucket] = LruDict(BUCKETS_MAX)

    def count_attempt(self, email: str, address: str) -> LoginThrottled | None:
        """Count an attempt before anything is read, so that fifty at once do not all get through.

        Returns:
            The refusal for an address that nobody signed in from: others, there or elsewhere, guessed too often.

        Raises:
            LoginThrottled: this very address guessed too often.
        """
        email, now = email.lower(), clock.monotonic()
        own = _bucket(self._by_address, f"{address} {email}", FAILURES_OF_ADDRESS, now)
        if not own.take(now):
            raise _refusal(own)
        # In this order, so that a network takes no more of the e-mail address than it may use itself.
        for bucket in (
            _bucket(self._by_network, f"{_network(address)} {email}", FAILURES_OF_NETWORK, now),
            _bucket(self._by_email, email, FAILURES_OF_EMAIL, now),
        ):
            if not bucket.take(now):
                return _refusal(bucket)
        return None

    def is_worth_recording(self, email: str) -> bool:
        """Whether one more failure is written to history: ten an hour of an e-mail address, whoever guesses."""
        now = clock.monotonic()
        recorded = self._recorded.get(email.lower())
        if recorded is None:
            recorded = self._recorded[email.lower()] = Bucket(RECORDED_MAX, RECORDED_SECONDS, RECORDED_MAX, now)
        return recorded.take(now)

    def forgive(self, email: str, address: str) -> None:
        """Forget the failures of this address: a user who knows the password is not guessing.

        Those of others stay counted, or every sign-in during an attack would give the guessers another round.
        """
        email = email.lower()
        self._by_address.pop(f"{address} {email}")
        for bucket in (self._by_network.get(f"{_network(address)} {email}"), self._by_email.get(email)):
            if bucket is not None:
                bucket.tokens = min(bucket.capacity, bucket.tokens + 1)

    def reset(self, email: str) -> None:
        """Forget what was counted against the e-mail address as a whole: it has another password now."""
        self._by_email.pop(email.lower())


def _bucket(buckets: LruDict[str, Bucket], name: str, capacity: int, now: float) -> Bucket:
    bucket = buckets.get(name)
    if bucket is None:
        bucket = buckets[name] = Bucket(capacity, WINDOW_SECONDS, float(capacity), now)
    return bucket


def _refusal(bucket: Bucket) -> LoginThrottled:
    seconds = bucket.seconds_to_next
    return LoginThrottled(
        f"Too many sign-ins failed for this e-mail address from here; the next may be tried in {seconds} seconds.",
        headers={"Retry-After": str(seconds)},
    )


def _network(address: str) -> str:
    """Return the /24 of an IPv4 address; the addresses of IPv6 clients are networks already (`address_bucket`)."""
    try:
        return str(ipaddress.IPv4Network((address, 24), strict=False))
    except ValueError:
        return address
