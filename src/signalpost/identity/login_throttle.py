"""Failed sign-ins, counted for all processes: by e-mail address, and by the network and address that they come from."""

import ipaddress

from signalpost.identity.errors import LoginThrottled
from signalpost.kit import clock
from signalpost.kit.db import Database
from signalpost.kit.lru import LruDict
from signalpost.web import shared_buckets
from signalpost.web.limits import Bucket
from signalpost.web.shared_buckets import Left, Want

FAILURES_OF_ADDRESS = 10
FAILURES_OF_NETWORK = 30
FAILURES_OF_EMAIL = 100
WINDOW_SECONDS = 900
BUCKETS_MAX = 50_000
RECORDED_MAX, RECORDED_SECONDS = 10, 3_600


class LoginThrottle:
    """The failed sign-ins of an installation: `context.state(LoginThrottle)`."""

    def __init__(self) -> None:
        self._recorded: LruDict[str, Bucket] = LruDict(BUCKETS_MAX)

    async def count_attempt(self, database: Database, email: str, address: str) -> LoginThrottled | None:
        """Count an attempt before anything is read, so that fifty at once do not all get through.

        Returns:
            The refusal for an address that nobody signed in from: others, there or elsewhere, guessed too often.

        Raises:
            LoginThrottled: this very address guessed too often.
            Unavailable: the database cannot be reached.
        """
        # In this order, so that a network takes no more of the e-mail address than it may use itself.
        wants = [_of_address(email, address), _of_network(email, address), _of_email(email)]
        refused = await shared_buckets.take_each(database, wants, WINDOW_SECONDS)
        if refused is None:
            return None
        place, left = refused
        if place == 0:
            raise _refusal(left)
        return _refusal(left)

    def is_worth_recording(self, email: str) -> bool:
        """Whether one more failure is written to history: ten an hour of an e-mail address, whoever guesses."""
        now = clock.monotonic()
        recorded = self._recorded.get(email.lower())
        if recorded is None:
            recorded = self._recorded[email.lower()] = Bucket(RECORDED_MAX, RECORDED_SECONDS, RECORDED_MAX, now)
        return recorded.take(now)

    async def forgive(self, database: Database, email: str, address: str) -> None:
        """Forget the failures of this address: a user who knows the password is not guessing.

        Those of others stay counted, or every sign-in during an attack would give the guessers another round.
        """
        await shared_buckets.forget(database, [_of_address(email, address).name])
        await shared_buckets.give_back(database, [_of_network(email, address), _of_email(email)], WINDOW_SECONDS)

    async def reset(self, database: Database, email: str) -> None:
        """Forget what was counted against the e-mail address as a whole: it has another password now."""
        await shared_buckets.forget(database, [_of_email(email).name])


def _of_address(email: str, address: str) -> Want:
    return Want(f"sign-in {address} {email.lower()}", FAILURES_OF_ADDRESS)


def _of_network(email: str, address: str) -> Want:
    return Want(f"sign-in network {network_of(address)} {email.lower()}", FAILURES_OF_NETWORK)


def _of_email(email: str) -> Want:
    return Want(f"sign-in email {email.lower()}", FAILURES_OF_EMAIL)


def _refusal(left: Left) -> LoginThrottled:
    seconds = left.seconds_to_next
    return LoginThrottled(
        f"Too many sign-ins failed for this e-mail address from here; the next may be tried in {seconds} seconds.",
        headers={"Retry-After": str(seconds)},
    )


def network_of(address: str) -> str:
    """Return the /24 of an IPv4 address; the addresses of IPv6 clients are networks already (`address_bucket`)."""
    try:
        return str(ipaddress.IPv4Network((address, 24), strict=False))
    except ValueError:
        return address
