"""aiohttp's connection pool with three additions: the guard at the dial, bounds on an answer's head, and a note of
whether a request ever got a connection (`Call.connected`), on which `NotSent` or `MaybeSent` is decided.

Two things here lean on aiohttp's insides, both held by tests: the `_factory` attribute that makes protocols, and
`feed_data` being called once for every parsed head.
"""

import socket
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError
from typing_extensions import override

from signalpost.kit.http.errors import UnsafeUrl
from signalpost.kit.http.guard import Guard
from signalpost.kit.http.resolver import Resolver
from signalpost.kit.http.urls import Target

HEAD_BYTES_MAX = 16 * 1024
HEAD_LINE_BYTES_MAX = 8190
HEAD_FIELDS_MAX = 128
INTERIM_ANSWERS_MAX = 8
#: Shorter than the usual server's 5 s, so that a POST seldom meets an idle connection that is just closing.
IDLE_SECONDS = 4.0
_RESENDABLE = frozenset({"GET", "HEAD"})


@dataclass(slots=True)
class Call:
    """The notes one call leaves on its way through aiohttp."""

    target: Target
    #: A free place in the pool was found and dialling began.
    dialling: bool = False
    #: A connection was handed over, so bytes may have left.
    connected: bool = False
    refused: UnsafeUrl | None = None


CURRENT: ContextVar[Call] = ContextVar("outgoing_call")


class HeadTooLarge(HttpProcessingError):
    """The head of an answer goes over its bounds."""


class BoundedHandler(ResponseHandler):
    """Reads one connection; ends it when the head of an answer does not end."""

    _head_bytes = 0
    _interim_answers = 0
    _head_done = False

    @override
    def set_response_params(self, **params: Any) -> None:
        self._head_bytes = self._interim_answers = 0
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
            self._interim_answers += 1
            if self._interim_answers > INTERIM_ANSWERS_MAX:
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
    """A pool that notes in the current `Call` how far a request came, and sends nothing but GET and HEAD twice."""

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
            # aiohttp sends idempotent methods again after a stale connection; the caller shall decide about that.
            raise aiohttp.ServerDisconnectedError
        connection = await super().connect(req, traces, timeout)
        call.connected = True
        return connection

    @override
    async def _create_connection(self, req: aiohttp.ClientRequest, traces: Any, timeout: aiohttp.ClientTimeout) -> Any:
        CURRENT.get().dialling = True
        return await super()._create_connection(req, traces, timeout)


def _checked_socket(guard: Guard, addr_info: Any) -> socket.socket:
    """Make the socket for an address that is about to be dialled, if the guard still agrees: nothing lies between."""
    call = CURRENT.get()
    try:
        guard.judge_addresses(call.target, [ip_address(addr_info[4][0])])
    except UnsafeUrl as refusal:
        call.refused = refusal
        raise OSError("refused by the guard") from None
    return socket.socket(addr_info[0], addr_info[1], addr_info[2])


class GuardedResolver(AbstractResolver):
    """Hands aiohttp the addresses of a name, all of them judged (`guard` None: any)."""

    def __init__(self, resolver: Resolver, guard: Guard | None) -> None:
        self._resolver = resolver
        self._guard = guard

    @override
    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        addresses = await self._resolver.addresses(host)
        if self._guard is not None:
            self._guard.judge_addresses(CURRENT.get().target, addresses)
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
        """Nothing to let go: the resolver belongs to the client."""
