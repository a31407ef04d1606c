"""Which connections of clients may stay: so many of one address, and none that keep the service waiting for long.

The server accepts connections without asking, so they are looked at from outside, twice a second: the kernel says of
each when bytes came and went, and this process knows which of them have a request under way (decision 0135).
"""

import asyncio
import errno
import os
import socket
import struct
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from signalpost.kit import clock, log
from signalpost.web.request import address_bucket

HEAD_SECONDS = 10.0
"""How long a client may take until the head of its request is complete, from the first moment or the last response."""
SCAN_SECONDS = 0.5
SETTLE_SECONDS = 5.0
_SETTLE_SCAN_SECONDS = 0.02
_FULL, _ROOMY = 0.9, 0.8
_LOG_SECONDS = 10.0
_TCP_INFO = struct.Struct("@44xI4xI64xQQ")
"""Of struct tcp_info: milliseconds since data was sent and received; bytes acknowledged by the peer, bytes received."""
_NOT_CONNECTED = (errno.EBADF, errno.ENOTCONN, errno.EINVAL)
"""What a descriptor says that was closed meanwhile, or that only listens."""
_logger = log.get("web")

Peer = tuple[str, str]
"""Address and port, as the server names them in a request."""


class Connection(NamedTuple):
    """An open connection of a client, as the kernel describes it."""

    peer: Peer
    silent_seconds: float
    """Since the client sent something, or since it connected."""
    responses_bytes: int
    """What the client has acknowledged; it changes with every response."""
    owes_head: bool
    """Nothing was sent to the client since it sent something, or it never sent anything."""


class Connections:
    """Counts the requests under way by connection, and decides which connections have to go. No I/O."""

    def __init__(self, app: Any, *, connections_max: int, per_address_max: int | None) -> None:
        self._app = app
        self._connections_max = connections_max
        self._per_address_max = per_address_max  # None: the addresses are those of proxies
        self._busy: set[Peer] = set()
        self._waiting_since: dict[tuple[Peer, int], float] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve a request; until its end its connection is busy and stays, whatever it looks like."""
        peer = scope["client"]
        self._busy.add(peer)
        try:
            await self._app(scope, receive, send)
        finally:
            self._busy.discard(peer)

    def surplus(self, connections: Iterable[Connection], now: float) -> list[tuple[Connection, str]]:
        """Return the connections that have to go, each with the reason, and remember who has to send a head."""
        idle: list[Connection] = []
        of_address: dict[str, list[Connection]] = defaultdict(list)
        open_count, waiting = 0, {}
        gone: dict[Connection, str] = {}
        numbers: Counter[str] = Counter()
        for connection in connections:
            open_count += 1
            bucket = address_bucket(connection.peer[0])
            numbers[bucket] += 1
            if connection.peer in self._busy:
                continue
            idle.append(connection)
            of_address[bucket].append(connection)
            if connection.owes_head:
                key = (connection.peer, connection.responses_bytes)
                waiting[key] = since = self._waiting_since.get(key, now)
                if now - since >= HEAD_SECONDS:
                    gone[connection] = "no request"
        self._waiting_since = waiting
        if self._per_address_max is not None:
            for bucket, own in of_address.items():
                gone |= dict.fromkeys(_longest(own, numbers[bucket] - self._per_address_max), "too many of an address")
        if open_count > self._connections_max * _FULL:
            room = int(open_count - self._connections_max * _ROOMY)
            gone |= dict.fromkeys(_longest(idle, room), "no room")
        return list(gone.items())

    def awaits_first_request(self, connections: Iterable[Connection]) -> bool:
        """Return whether one of them was accepted, and its first request has not reached the application."""
        return any(
            connection.owes_head and connection.responses_bytes <= 1 and connection.peer not in self._busy
            for connection in connections
        )


def _longest(connections: list[Connection], count: int) -> list[Connection]:
    """Return those that were silent for longest; those that have never sent a request come first."""
    if count <= 0:
        return []
    connections.sort(key=lambda connection: (not connection.owes_head, -connection.silent_seconds))
    return connections[:count]


async def guard(connections: Connections, port: int) -> None:
    """Close what has to go, twice a second, for ever."""
    closed: Counter[str] = Counter()
    logged_at = clock.monotonic()
    while True:
        await asyncio.sleep(SCAN_SECONDS)
        closed.update(await asyncio.to_thread(close_surplus, connections.surplus, port))
        if closed and clock.monotonic() - logged_at >= _LOG_SECONDS:
            _logger.warning("connections.closed", **{reason.replace(" ", "_"): n for reason, n in closed.items()})
            closed.clear()
            logged_at = clock.monotonic()


async def settled(connections: Connections, port: int) -> None:
    """Wait until the first request of each connection is under way, five seconds at most. None is accepted meanwhile.

    One that was accepted just before may not be seen at once, so it is looked twice.
    """
    until = clock.monotonic() + SETTLE_SECONDS
    quiet = 0
    while quiet < 2 and clock.monotonic() < until:
        await asyncio.sleep(_SETTLE_SCAN_SECONDS)
        awaits = await asyncio.to_thread(lambda: connections.awaits_first_request(_open_at(port)))
        quiet = 0 if awaits else quiet + 1


def _open_at(port: int) -> list[Connection]:
    return [connection for _, connection in _accepted(port)]


def close_surplus(
    surplus: Callable[[Iterable[Connection], float], list[tuple[Connection, str]]], port: int
) -> list[str]:
    """Look at every connection that was accepted at `port`, close those that have to go; return the reasons."""
    gone = dict(surplus((connection for _, connection in _accepted(port)), clock.monotonic()))
    if not gone:
        return []
    reasons = {connection.peer: reason for connection, reason in gone.items()}
    closed = []
    for opened, connection in _accepted(port):
        if connection.peer in reasons:
            with suppress(OSError):  # it ended meanwhile
                opened.shutdown(socket.SHUT_RDWR)  # the server sees the end of it, and closes it
            closed.append(reasons[connection.peer])
    return closed


def _accepted(port: int) -> Iterator[tuple[socket.socket, Connection]]:
    """Yield the connections that this process accepted at `port`, each as a copy that is closed afterwards.

    A descriptor may be closed by its owner at any time, and its number used again: only the copy is looked at.
    """
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - names, not paths
        copy = -1
        try:
            copy = os.dup(int(name))
            with socket.socket(socket.AF_INET6, socket.SOCK_STREAM, fileno=copy) as opened:
                if _local_port(opened) == port:
                    yield opened, _describe(opened)
        except OSError as error:
            if error.errno == errno.ENOTSOCK:
                os.close(copy)
            elif error.errno not in _NOT_CONNECTED:
                raise


def _local_port(opened: socket.socket) -> int | None:
    name = opened.getsockname()
    return name[1] if isinstance(name, tuple) else None


def _describe(opened: socket.socket) -> Connection:
    host, port, *_ = opened.getpeername()
    since_sent, since_received, acknowledged, received = _TCP_INFO.unpack(
        opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size)
    )
    return Connection(
        peer=(host, str(port)),
        silent_seconds=since_received / 1000,
        responses_bytes=acknowledged,
        owes_head=received == 0 or acknowledged <= 1 or since_received < since_sent,
    )
