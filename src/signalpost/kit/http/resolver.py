"""Name lookups that do not block the loop, and among which a hanging name server does not block the others for long."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from signalpost.kit.addresses import Address, literal
from signalpost.kit.http.errors import NotSent

#: Takes a name and returns its addresses; raises OSError if there are none.
Lookup = Callable[[str], Awaitable[Sequence[str]]]

LOOKUP_THREADS = 32
"""Of each client."""
LOOKUP_SECONDS_MAX = 2.0
"""Shorter than the time for connecting, so that a slow lookup is not taken for a slow receiver."""
LOOKUPS_WAITING_MAX = 512
ADDRESSES_MAX = 32


class SystemLookup:
    """`getaddrinfo` in threads of its own: the loop has few, and a malicious name can occupy one for long."""

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None

    async def __call__(self, host: str) -> Sequence[str]:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(LOOKUP_THREADS, thread_name_prefix="lookup")
        return await asyncio.get_running_loop().run_in_executor(self._threads, _getaddrinfo, host)

    def close(self) -> None:
        """Shut the threads down; those in a lookup end with it."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None


def _getaddrinfo(host: str) -> list[str]:
    # No AI_ADDRCONFIG: both families are looked up, so that both are checked, whatever this machine can reach.
    infos = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in infos))


class Resolver:
    """Resolves names. Nothing is cached; simultaneous calls for the same name share one lookup."""

    def __init__(self, lookup: Lookup | None = None, *, timeout_seconds: float = LOOKUP_SECONDS_MAX) -> None:
        self._system = SystemLookup()
        self._lookup = lookup or self._system
        self._timeout_seconds = timeout_seconds
        self._running: dict[str, asyncio.Task[Sequence[str]]] = {}

    async def addresses(self, host: str) -> list[Address]:
        """Return all addresses of `host`, in the order in which to try them.

        Raises:
            NotSent: there is none, or the lookup took too long. `ours` tells a broken resolver from an unknown name.
        """
        task = self._running.get(host)
        if task is None:
            if len(self._running) >= LOOKUPS_WAITING_MAX:
                raise NotSent("too many name lookups are waiting", stage="lookup", ours=True)
            task = asyncio.ensure_future(self._look_up(host))
            self._running[host] = task
            task.add_done_callback(lambda done: self._forget(host, done))
        try:
            async with asyncio.timeout(self._timeout_seconds):
                texts = await asyncio.shield(task)
        except TimeoutError:
            raise NotSent(f"looking up {host} took too long", stage="lookup", ours=True) from None
        except socket.gaierror as failure:
            ours = failure.errno in (socket.EAI_AGAIN, socket.EAI_SYSTEM, socket.EAI_MEMORY)
            raise NotSent(f"{host} does not resolve", stage="lookup", ours=ours) from None
        except (OSError, UnicodeError):
            raise NotSent(f"{host} does not resolve", stage="lookup") from None
        addresses = [address for text in texts[:ADDRESSES_MAX] if (address := literal(text)) is not None]
        if not addresses:
            raise NotSent(f"{host} does not resolve", stage="lookup")
        return addresses

    async def _look_up(self, host: str) -> Sequence[str]:
        return await self._lookup(host)

    def _forget(self, host: str, task: "asyncio.Task[Sequence[str]]") -> None:
        self._running.pop(host, None)
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not report a lookup that no one waits for

    def close(self) -> None:
        """Cancel the lookups."""
        for task in self._running.values():
            task.cancel()
        self._system.close()
