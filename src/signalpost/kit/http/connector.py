"""aiohttp's connection pool with three additions: the guard when a connection is opened, bounds on response headers,
and a record of whether a request got a connection (`Call.connected`), which decides `NotSent` or `MaybeSent`.

Two things here depend on internals of aiohttp, and tests cover both: the `_factory` attribute that makes protocols, and
`feed_data`, which is called once for every parsed response head.
"""

import socket
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from ipaddress import ip_address
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError
from msgspec import Struct
from typing_extensions import override

from signalpost.kit.http.errors import UnsafeUrl
from signalpost.kit.http.guard import Guard
from signalpost.kit.http.resolver import Resolver
from signalpost.kit.http.urls import Target

HEAD_BYTES_MAX = 16 * 1024
HEAD_LINE_BYTES_MAX = 8190
HEAD_FIELDS_MAX = 128
INTERIM_RESPONSES_MAX = 8
#: Shorter than the 5 s of most servers, so that a POST seldom uses an idle connection that is just being closed.
IDLE_SECONDS = 4.0
_RESENDABLE = frozenset({"GET", "HEAD"})


class Call(Struct):
    """What is recorded of one call on its way through aiohttp."""

    target: Target
    #: A free place in the pool was found, and connecting began.
    dialling: bool = False
    #: The request got a connection, so bytes may have been sent.
    connected: bool = False
    refused: UnsafeUrl | None = None
    #: Called before the request is written to its connection.
    before_send: Callable[[], None] | None = None


CURRENT: ContextVar[Call] = ContextVar("outgoing_call")


class HeadTooLarge(HttpProcessingError):
    """The headers of a response are larger than allowed."""


class BoundedHandler(ResponseHandler):
    """Reads one connection; aborts it if the headers of a response do not end."""

    _head_bytes = 0
    _interim_responses = 0
    _head_done = False

    @override
    def set_response_params(self, **params: Any) -> None:
        self._head_bytes = self._interim_responses = 0
        self._head_done = False
        super().set_response_params(**params)

    @override
    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._head_done:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES_MAX:
                self._refuse()

    @override
    def feed_data(self, data: Any, size: int = 0) -> None:
        message = data[0]
        if 100 <= message.code < 200 and message.code != 101:
            self._interim_responses += 1
            if self._interim_responses > INTERIM_RESPONSES_MAX:
                self._refuse()
                return
        else:
            self._head_done = True
            if sum(len(name) + len(value) + 4 for name, value in message.raw_headers) > HEAD_BYTES_MAX:
                self._refuse()
                return
        super().feed_data(data, size)

    def _refuse(self) -> None:
        if self.exception() is None:
            self.set_exception(HeadTooLarge(message="head too large"))
        if self.transport is not None:
            self.transport.abort()


class Connector(aiohttp.TCPConnector):
    """A pool that records in the current `Call` how far a request got, and resends only GET and HEAD."""

    def __init__(self, *, resolver: AbstractResolver, limit: int, limit_per_host: int, guard: Guard | None) -> None:
        super().__init__(
            resolver=resolver,
            use_dns_cache=False,
            limit=limit,
            limit_per_host=limit_per_host,
            keepalive_timeout=IDLE_SECONDS,
            socket_factory=None if guard is None else partial(_checked_socket, guard),
        )
        self._factory = partial(BoundedHandler, loop=self._loop)  # type: ignore[assignment]  # partial is invariant

    @override
    async def connect(self, req: aiohttp.ClientRequest, traces: Any, timeout: aiohttp.ClientTimeout) -> Any:
        call = CURRENT.get()
        if call.connected and req.method not in _RESENDABLE:
            # aiohttp resends idempotent methods after a stale connection; that decision belongs to the caller.
            raise aiohttp.ServerDisconnectedError
        connection = await super().connect(req, traces, timeout)
        if call.before_send is not None:
            try:
                call.before_send()
            except BaseException:
                connection.release()
                raise
        call.connected = True
        return connection

    @override
    async def _create_connection(self, req: aiohttp.ClientRequest, traces: Any, timeout: aiohttp.ClientTimeout) -> Any:
        CURRENT.get().dialling = True
        return await super()._create_connection(req, traces, timeout)


def _checked_socket(guard: Guard, addr_info: Any) -> socket.socket:
    """Make the socket for an address right before connecting, if the guard allows it: there is no gap between."""
    call = CURRENT.get()
    try:
        guard.check_addresses(call.target, [ip_address(addr_info[4][0])])
    except UnsafeUrl as refusal:
        call.refused = refusal
        raise OSError("refused by the guard") from None
    return socket.socket(addr_info[0], addr_info[1], addr_info[2])


class GuardedResolver(AbstractResolver):
    """Gives aiohttp the addresses of a name, all of them checked (`guard` None: unchecked)."""

    def __init__(self, resolver: Resolver, guard: Guard | None) -> None:
        self._resolver = resolver
        self._guard = guard

    @override
    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        addresses = await self._resolver.addresses(host)
        if self._guard is not None:
            self._guard.check_addresses(CURRENT.get().target, addresses)
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=socket.AF_INET if address.version == 4 else socket.AF_INET6,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in addresses
        ]

    @override
    async def close(self) -> None:
        """Do nothing: the resolver belongs to the client."""
