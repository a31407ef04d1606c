"""Password hashing in a queue of two threads, so that sign-ins cannot starve the API. Never inside a transaction."""

from signalpost.identity.common_passwords import is_common
from signalpost.kit import crypto, problems


async def hash_new(password: str) -> str:
    """Return the hash to store of a password that someone has just chosen.

    Raises:
        ValidationFailed: it is one of those that are chosen most often.
        Unavailable: too many others are waiting.
    """
    if is_common(password):
        raise problems.invalid(
            "/password", "too_common", "This password is one of the most common ones. Choose another: a few words."
        )
    return await hash_password(password)


async def hash_password(password: str) -> str:
    """Return the hash to store.

    Raises:
        Unavailable: too many others are waiting.
    """
    try:
        return await crypto.hash_password(password)
    except crypto.PasswordQueueFull as full:
        raise _busy() from full


async def verify_password(stored: str | None, password: str) -> bool:
    """Whether `stored` is the hash of this password. None, for an unknown user, costs as much work and is False.

    Raises:
        Unavailable: too many others are waiting.
    """
    try:
        return await crypto.verify_password(stored, password)
    except crypto.PasswordQueueFull as full:
        raise _busy() from full


def _busy() -> problems.Unavailable:
    return problems.Unavailable("Too many people are signing in right now.", headers={"Retry-After": "3"})
