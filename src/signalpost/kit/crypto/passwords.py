import asyncio
import secrets
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

import argon2

_T = TypeVar("_T")


class PasswordQueueFull(Exception):
    """Too many logins are waiting; try again in a few seconds."""


_WAITING_MAX = 200  # about 2.5 s of work for two threads
# OWASP's floor for Argon2id: 19 MiB, two passes, one lane. About 23 ms; argon2-cffi's own default takes ten times that.
_ARGON2 = argon2.PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


class _Queue:
    """Logins wait here for one of two threads, so that many of them at once do not take the CPU from other requests."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="password")  # argon2 releases the GIL
        self._waiting = 0

    async def run(self, work: Callable[[], _T]) -> _T:
        if self._waiting >= _WAITING_MAX:
            raise PasswordQueueFull("too many logins are waiting")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1


_queue = _Queue()


@cache
def _dummy_hash() -> str:
    return _ARGON2.hash(secrets.token_bytes(16))


def _password_bytes(text: str) -> bytes:
    # The same password typed on two keyboards may compose accents differently.
    return unicodedata.normalize("NFKC", text).encode("utf-8", "surrogatepass")


async def hash_password(text: str) -> str:
    """Return the Argon2id hash of a password, with its parameters and salt.

    Raises:
        PasswordQueueFull: 200 others are waiting.
    """
    return await _queue.run(lambda: _ARGON2.hash(_password_bytes(text)))


async def verify_password(hashed: str | None, text: str) -> bool:
    """Whether `text` is the password of `hashed`. Pass None for an unknown user: False, after the same work.

    Raises:
        PasswordQueueFull: 200 others are waiting.
    """

    def verify() -> bool:
        try:
            _ARGON2.verify(hashed or _dummy_hash(), _password_bytes(text))
        except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
            return False
        return hashed is not None

    return await _queue.run(verify)


def needs_rehash(hashed: str) -> bool:
    """Whether `hashed` was made with other parameters than the present ones and should be renewed at the next login."""
    try:
        return _ARGON2.check_needs_rehash(hashed)
    except argon2.exceptions.InvalidHashError:
        return True
