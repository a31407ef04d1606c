"""Credentials that may be guesses: an address with too many wrong ones is refused before the next one is read."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from signalpost.kit import problems
from signalpost.web.limits import PER_ADDRESS, Limiter
from signalpost.web.request import address_bucket


class _Line:
    """The credentials of one address that are being read, and those that wait until these turn out right or wrong."""

    __slots__ = ("reading", "waiting")

    def __init__(self) -> None:
        self.reading = 0
        self.waiting: deque[asyncio.Future[None]] = deque()

    async def wait(self) -> None:
        """Wait until another credential has turned out right or wrong."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            self.call_next()  # a turn that nobody takes goes to the next one
            raise

    def call_next(self) -> None:
        """Wake the first of those that wait."""
        while self.waiting:
            turn = self.waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return


class Guesses:
    """Bounds how many unknown credentials an address may have read at a time: as many as it may still get wrong.

    A wrong one takes a token of the address when its request is refused; one that is right takes none.
    """

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter
        self._lines: dict[str, _Line] = {}

    def may_look(self, address: str) -> bool:
        """Take one of the looks in which this process verifies that a key was accepted from this address before."""
        try:
            self._limiter.check(f"accepted:{address_bucket(address)}", "address", PER_ADDRESS)
        except problems.RateLimited:
            return False
        return True

    @asynccontextmanager
    async def admitted(self, address: str) -> AsyncIterator[None]:
        """Wait until a credential of this address may be read, and hold that place.

        Raises:
            RateLimited: the address has used up its wrong ones, or other processes read as many at this moment.
            Unavailable: the database cannot be reached.
        """
        name = f"address:{address_bucket(address)}"
        line = self._lines.setdefault(name, _Line())
        try:
            while not await self._limiter.borrow(name, PER_ADDRESS):
                if line.reading:
                    await line.wait()
                else:
                    await self._limiter.admit(name, "address", PER_ADDRESS)
            line.reading += 1
            try:
                yield
            finally:
                line.reading -= 1
                self._limiter.give_back(name, PER_ADDRESS)  # who turns out wrong pays when the request is refused
        finally:
            line.call_next()
            if not line.reading and not line.waiting:
                self._lines.pop(name, None)
