import asyncio
import importlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from signalpost.kit import tracing
from signalpost.kit.addresses import Address, AllowList
from signalpost.kit.http.bodies import RequestBody
from signalpost.kit.http.errors import NotSent, UnknownHost, UnsafeUrl
from signalpost.kit.http.guard import Guard
from signalpost.kit.http.resolver import LOOKUP_SECONDS_MAX, Lookup, Resolver
from signalpost.kit.http.responses import Downloaded, Response, Sink
from signalpost.kit.http.urls import parse
from signalpost.kit.shares import Busy, Shares
from signalpost.kit.tenant import tenant

if TYPE_CHECKING:
    from signalpost.kit.http.sockets import Socket
    from signalpost.kit.http.transport import Transport


class CallLimits(NamedTuple):
    """How many calls of a client may be under way for one workspace, and for all workspaces of one owner."""

    per_workspace: int
    per_tenant: int


class Client:
    """The client. Every call is bounded in time and bytes, follows no redirect, keeps no cookie, reads no proxy
    variable, and reaches only public addresses over https unless the operator allows more.

    Guarded and trusted calls have separate connection pools: a guarded call never uses a connection that was
    opened without a check. Within a pool, connections are kept by (host, port, scheme), each checked when it is opened.
    """

    def __init__(
        self,
        allowed_private_hosts: Sequence[str] = (),
        user_agent: str = "http-client",
        *,
        connections_max: int = 512,
        connections_per_host_max: int = 0,
        calls_max: CallLimits | None = None,
        lookup: Lookup | None = None,
        propagates: bool = False,
    ) -> None:
        """Store the rules. Connections are opened by the first call, on the loop that runs then.

        Args:
            allowed_private_hosts: what guarded calls may reach in spite of the guard; see `AllowList.parse`.
            user_agent: sent with every call that does not set its own.
            connections_max: open connections per pool; a call that finds none free waits within its connect timeout.
            connections_per_host_max: the same for one (host, port, scheme); 0 = no bound of its own.
            calls_max: calls under way for one tenant (see `kit.tenant`); None for no bound.
            lookup: how names are resolved; by the system if left out.
            propagates: whether receivers may continue our traces, where spans are recorded (`kit.tracing`).

        Raises:
            ValueError: an entry of `allowed_private_hosts` is invalid.
        """
        self._guard = Guard(AllowList.parse(allowed_private_hosts))
        self._resolver = Resolver(lookup)
        self._transport = _LazyTransport(
            self._guard, self._resolver, user_agent, (connections_max, connections_per_host_max), propagates=propagates
        )
        self._shares = None if calls_max is None else (Shares(calls_max.per_workspace), Shares(calls_max.per_tenant))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection. The client can be used again afterwards."""
        await self._transport.close()
        self._resolver.close()

    @asynccontextmanager
    async def _share(self, wait_seconds: float) -> AsyncIterator[None]:
        """Count a call of the tenant that this task works for.

        Raises:
            NotSent: so many calls are under way; `ours`, whatever their receivers do.
        """
        caller = tenant.get()
        if self._shares is None or caller is None:
            yield
            return
        of_workspaces, of_tenants = self._shares
        try:
            # In this order: a workspace that waits for its own calls keeps no other of its owner waiting.
            async with of_workspaces.take(caller, wait_seconds), of_tenants.take(caller.id, wait_seconds):
                yield
        except Busy:
            raise NotSent("too many calls for the same owner are under way", stage="pool", ours=True) from None

    async def request(  # noqa: PLR0913  each is a bound or a part of the message, all but two by keyword
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        data: RequestBody | None = None,
        params: Mapping[str, str] | None = None,
        timeout_seconds: float = 10.0,
        connect_timeout_seconds: float = 3.0,
        bytes_max: int = 1_000_000,
        trusted: bool = False,
        truncate: bool = False,
        before_send: Callable[[], None] | None = None,
        until: Callable[[bytes], bool] | None = None,
    ) -> Response:
        """Send a request at most once and read the whole response, whatever its status.

        With `until`, the request opens a WebSocket: `json` is sent as one text, and the body of the response (101) is
        the texts that come, one a line, up to the first one that `until` is true of, or to the end of the connection.

        Args:
            method: in upper case.
            url: http(s) address; not longer than 2048 characters.
            headers: added to the default ones, and stronger.
            json: sent as JSON (None: no body).
            data: bytes or a stream as they are, a mapping as a form, parts as multipart/form-data.
            params: added to the address's query.
            timeout_seconds: for the whole call, from the wait for a connection to the body's last byte.
            connect_timeout_seconds: for the wait for a free place, lookup, dial and TLS together; before that, where
                calls are limited, a workspace waits as long at most for its turn, and its owner likewise.
            bytes_max: of the response body.
            trusted: the operator chose this address, so it may be private or plain http.
            truncate: cut a response over `bytes_max` (and drop the connection) instead of failing.
            before_send: called when there is a connection, right before the bytes leave. What it raises ends the
                call, unchanged, and nothing was sent.
            until: makes it a WebSocket, see above; `method` is GET. A server that opens none answers with its status
                and no body.

        Raises:
            UnsafeUrl: the address is malformed or forbidden; nothing was sent.
            NotSent: no connection was established; nothing was sent.
            MaybeSent: no complete response came, but the server may have received the request.
            TooLarge: headers over 16 KiB, or body over `bytes_max`.
        """
        transport = await self._transport.get()
        async with self._share(connect_timeout_seconds):
            if until is not None:
                return await transport.converse(
                    url, json, until, headers=headers, timeout_seconds=timeout_seconds, bytes_max=bytes_max,
                    trusted=trusted, before_send=before_send,
                )  # fmt: skip
            return await transport.request(
                method, url, headers=headers, json=json, data=data, params=params, timeout_seconds=timeout_seconds,
                connect_timeout_seconds=connect_timeout_seconds, bytes_max=bytes_max, trusted=trusted,
                truncate=truncate, before_send=before_send,
            )  # fmt: skip

    async def connect(
        self, url: str, *, timeout_seconds: float = 10.0, bytes_max: int = 1_000_000, trusted: bool = False
    ) -> "Socket":
        """Open a WebSocket that stays open, for whoever hears what it is not asked for. It is not counted as a call.

        Args:
            url: http(s) address, as in `request`.
            timeout_seconds: for the opening.
            bytes_max: of each text; a larger one ends the connection.
            trusted: as in `request`.

        Raises:
            BadResponse: the server opens none.
            UnsafeUrl, NotSent, MaybeSent: as in `request`.
        """
        transport = await self._transport.get()
        return await transport.connect(url, timeout_seconds=timeout_seconds, bytes_max=bytes_max, trusted=trusted)

    async def download(  # noqa: PLR0913 - as `request`
        self,
        url: str,
        sink: Sink,
        *,
        bytes_max: int,
        timeout_seconds: float,
        connect_timeout_seconds: float = 3.0,
        headers: Mapping[str, str] | None = None,
        redirects_max: int = 0,
        bytes_per_second_min: int = 0,
        trusted: bool = False,
    ) -> Downloaded:
        """GET `url` and pass its bytes to `sink` as they arrive; they are never all in memory.

        Args:
            url: as in `request`.
            sink: awaited with each piece, in order. Its time counts, and what it raises is not changed.
            bytes_max: a larger file, announced or real, is refused. `sink` may have received some pieces before.
            timeout_seconds: for everything, redirects and `sink` included.
            connect_timeout_seconds: as in `request`, for each hop.
            headers: sent to the first host only, if a redirect leads to another one.
            redirects_max: hops to follow, each checked like a new address.
            bytes_per_second_min: a server that sends less on average, or nothing for `STALL_SECONDS`, is given up.
            trusted: as in `request`; a redirect to another host is never trusted.

        Raises:
            BadResponse: a status other than 200, too many redirects, or one without a valid address. See `status`.
            UnsafeUrl, NotSent, MaybeSent, TooLarge: as in `request`.
        """
        transport = await self._transport.get()
        async with self._share(connect_timeout_seconds):
            return await transport.download(
                url, sink, bytes_max=bytes_max, timeout_seconds=timeout_seconds, headers=headers, trusted=trusted,
                connect_timeout_seconds=connect_timeout_seconds, redirects_max=redirects_max,
                bytes_per_second_min=bytes_per_second_min,
            )  # fmt: skip

    async def check_url(
        self,
        url: str,
        *,
        schemes: Sequence[str] = ("https",),
        ports: Sequence[int] | None = None,
        trusted: bool = False,
    ) -> list[Address]:
        """Check an address before it is stored. The result does not last: every call checks again when it connects.

        Args:
            url: the address as the user gave it.
            schemes: the allowed ones; http is also allowed if the operator's list contains the host.
            ports: the allowed ones, None for any.
            trusted: only form and port are checked, http is allowed and nothing is looked up.

        Returns:
            The IP addresses of the host as they are now; none, if nothing was looked up.

        Raises:
            UnsafeUrl: `detail` says what is wrong.
            UnknownHost: the host does not resolve.
        """
        target = parse(url)
        if not trusted:
            self._guard.check_target(target, schemes=schemes)
        if ports is not None and target.port not in ports:
            raise UnsafeUrl(f"port {target.port} is not allowed")
        if target.address is not None:
            return [target.address]
        if trusted:
            return []
        try:
            async with self._share(LOOKUP_SECONDS_MAX):
                addresses = await self._resolver.addresses(target.host)
        except NotSent as failure:
            raise UnknownHost(failure.detail) from None
        self._guard.check_addresses(target, addresses, schemes=schemes)
        return addresses


class _LazyTransport:
    """The transport of a client, made by the first call."""

    def __init__(self, *rules: Any, propagates: bool) -> None:
        self._rules = rules
        self._propagates = propagates
        self._transport: Transport | None = None

    async def get(self) -> "Transport":
        """Return the transport. aiohttp takes 0.1 s to import; a process that calls nobody never needs it."""
        if self._transport is None:
            module = await asyncio.to_thread(importlib.import_module, "signalpost.kit.http.transport")
            if self._transport is None:  # no simultaneous call was faster
                if tracing.recorder is None:
                    self._transport = module.Transport(*self._rules)
                else:
                    traced = importlib.import_module("signalpost.kit.http.traced_transport")
                    self._transport = traced.TracedTransport(*self._rules, propagates=self._propagates)
        return self._transport

    async def close(self) -> None:
        """Close every connection; the next call opens new ones."""
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.close()
