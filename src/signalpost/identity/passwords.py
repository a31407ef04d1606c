"""Hashing passwords: a queue of two threads, so that logins cannot starve the API. Never inside a transaction."""

from signalpost.kit import crypto, problems


async def hashed(password: str) -> str:
    """Return what is stored.

    Raises:
        Unavailable: too many others wait.
    """
    try:
        return await crypto.hash_password(password)
    except crypto.PasswordQueueFull as full:
        raise _busy() from full


async def fits(stored: str | None, password: str) -> bool:
    """Whether it is the password of `stored`; as much work for an unknown user (None) as for a known one.

    Raises:
        Unavailable: too many others wait.
    """
    try:
        return await crypto.verify_password(stored, password)
    except crypto.PasswordQueueFull as full:
        raise _busy() from full


def _busy() -> problems.Unavailable:
    return problems.Unavailable("Too many people are signing in right now.", headers={"Retry-After": "3"})
