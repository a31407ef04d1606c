import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import lru_cache
from types import TracebackType
from typing import Any, Self

import aiohttp
import msgspec
from yarl import URL

from signalpost.kit.addresses import AllowList
from signalpost.kit.http.bodies import RequestBody, as_payload, checked_headers, default_headers, json_payload
from signalpost.kit.http.connector import (
    CURRENT,
    HEAD_FIELDS_MAX,
    HEAD_LINE_BYTES_MAX,
    Call,
    Connector,
    GuardedResolver,
)
from signalpost.kit.http.errors import BadResponse, NotSent, UnsafeUrl
from signalpost.kit.http.guard import Guard
from signalpost.kit.http.resolver import Lookup, Resolver
from signalpost.kit.http.responses import Downloaded, Response, explain, pieces, read_body
from signalpost.kit.http.urls import parse

Sink = Callable[[bytes], Awaitable[None]]

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NO_CEILING = 1e9  # aiohttp rounds long timeouts up to whole seconds of the loop's clock; ours are exact


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
        lookup: Lookup | None = None,
    ) -> None:
        """Store the rules. Connections are opened by the first call, on the loop that runs then.

        Args:
            allowed_private_hosts: what guarded calls may reach in spite of the guard; see `AllowList.parse`.
            user_agent: sent with every call that does not set its own.
            connections_max: open connections per pool; a call that finds none free waits within its connect timeout.
            connections_per_host_max: the same for one (host, port, scheme); 0 = no bound of its own.
            lookup: how names are resolved; by the system if left out.

        Raises:
            ValueError: an entry of `allowed_private_hosts` is invalid.
        """
        self._guard = Guard(AllowList.parse(allowed_private_hosts))
        self._resolver = Resolver(lookup)
        self._headers = default_headers(user_agent)
        self._limits = (connections_max, connections_per_host_max)
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection. The client can be used again afterwards."""
        sessions, self._sessions = list(self._sessions.values()), {}
        for session in sessions:
            await session.close()
        self._resolver.close()

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
    ) -> Response:
        """Send a request at most once and read the whole response, whatever its status.

        Args:
            method: in upper case.
            url: http(s) address; not longer than 2048 characters.
            headers: added to the default ones, and stronger.
            json: sent as JSON (None: no body).
            data: bytes or a stream as they are, a mapping as a form, parts as multipart/form-data.
            params: added to the address's query.
            timeout_seconds: for the whole call, from the wait for a connection to the body's last byte.
            connect_timeout_seconds: for the wait for a free place, lookup, dial and TLS together.
            bytes_max: of the response body.
            trusted: the operator chose this address, so it may be private or plain http.
            truncate: cut a response over `bytes_max` (and drop the connection) instead of failing.

        Raises:
            UnsafeUrl: the address is malformed or forbidden; nothing was sent.
            NotSent: no connection was established; nothing was sent.
            MaybeSent: no complete response came, but the server may have received the request.
            TooLarge: headers over 16 KiB, or body over `bytes_max`.
        """
        started = time.perf_counter()
        call = self._call(url, trusted=trusted)
        sent_headers = checked_headers(headers) if headers else None
        payload = as_payload(data) if data is not None else None
        if json is not None:
            payload = json_payload(msgspec.json.encode(json))
        status: int | None = None
        token = CURRENT.set(call)
        try:
            async with self._session(trusted=trusted).request(
                method,
                call.target.url,
                headers=sent_headers,
                data=payload,
                params=params,
                timeout=_timeout(timeout_seconds, connect_timeout_seconds),
                allow_redirects=False,
            ) as response:
                status = response.status
                body = await read_body(response, bytes_max, truncate=truncate)
                elapsed_ms = _milliseconds_since(started)
                return Response(status, response.headers, body[:bytes_max], elapsed_ms, len(body) > bytes_max)
        except (aiohttp.ClientError, OSError) as failure:
            raise explain(failure, call, status) from None
        finally:
            CURRENT.reset(token)

    async def download(
        self,
        url: str,
        sink: Sink,
        *,
        bytes_max: int,
        timeout_seconds: float,
        connect_timeout_seconds: float = 3.0,
        headers: Mapping[str, str] | None = None,
        redirects_max: int = 0,
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
            trusted: as in `request`; a redirect to another host is never trusted.

        Raises:
            BadResponse: a status other than 200, too many redirects, or one without a valid address. See `status`.
            UnsafeUrl, NotSent, MaybeSent, TooLarge: as in `request`.
        """
        started = time.perf_counter()
        sent_headers = checked_headers(headers) if headers else None
        limits = _timeout(None, connect_timeout_seconds)
        call = self._call(url, trusted=trusted)
        deadline = asyncio.timeout(timeout_seconds)
        try:
            async with deadline:
                for _ in range(redirects_max + 1):
                    result = await self._fetch(call, sink, bytes_max, sent_headers, limits, trusted=trusted)
                    if not isinstance(result, URL):
                        response_headers, count = result
                        return Downloaded(response_headers, count, str(call.target.url), _milliseconds_since(started))
                    if parse(str(result)).origin != call.target.origin:
                        sent_headers, trusted = None, False
                    call = self._call(str(result), trusted=trusted)
        except TimeoutError as failure:
            if not deadline.expired():
                raise  # raised by the sink
            raise explain(failure, call, None) from None
        raise BadResponse(f"{call.target.host} redirects too often", status=302)

    async def _fetch(
        self,
        call: Call,
        sink: Sink,
        bytes_max: int,
        headers: Mapping[str, str] | None,
        limits: aiohttp.ClientTimeout,
        *,
        trusted: bool,
    ) -> tuple[Mapping[str, str], int] | URL:
        """Pass one response to the sink, or return the address that it redirects to."""
        status: int | None = None
        count = 0
        token = CURRENT.set(call)
        try:
            async with self._session(trusted=trusted).get(
                call.target.url, headers=headers, timeout=limits, allow_redirects=False
            ) as response:
                status = response.status
                if status in _REDIRECTS:
                    response.close()  # its body is not needed and of unknown size
                    return _location(response)
                if status != 200:
                    response.close()
                    raise BadResponse(f"{call.target.host} responded with {status}", status=status)
                async with aclosing(pieces(response, bytes_max)) as stream:
                    async for chunk in stream:
                        count += len(chunk)
                        await sink(chunk)
                return response.headers, count
        except aiohttp.ClientError as failure:
            raise explain(failure, call, status) from None
        finally:
            CURRENT.reset(token)

    async def check_url(
        self,
        url: str,
        *,
        schemes: Sequence[str] = ("https",),
        ports: Sequence[int] | None = None,
        trusted: bool = False,
    ) -> None:
        """Check an address before it is stored. The result does not last: every call checks again when it connects.

        Args:
            url: the address as the user gave it.
            schemes: the allowed ones; http is also allowed if the operator's list contains the host.
            ports: the allowed ones, None for any.
            trusted: only form and port are checked, http is allowed and nothing is looked up.

        Raises:
            UnsafeUrl: `detail` says what is wrong.
        """
        target = parse(url)
        if not trusted:
            self._guard.check_target(target, schemes=schemes)
        if ports is not None and target.port not in ports:
            raise UnsafeUrl(f"port {target.port} is not allowed")
        if not trusted and target.address is None:
            try:
                addresses = await self._resolver.addresses(target.host)
            except NotSent as failure:
                raise UnsafeUrl(failure.detail) from None
            self._guard.check_addresses(target, addresses, schemes=schemes)

    def _call(self, url: str, *, trusted: bool) -> Call:
        target = parse(url)
        if not trusted:
            self._guard.check_target(target)
        return Call(target)

    def _session(self, *, trusted: bool) -> aiohttp.ClientSession:
        session = self._sessions.get(trusted)
        if session is None:
            guard = None if trusted else self._guard
            limit, limit_per_host = self._limits
            connector = Connector(
                resolver=GuardedResolver(self._resolver, guard),
                limit=limit,
                limit_per_host=limit_per_host,
                guard=guard,
            )
            session = self._sessions[trusted] = aiohttp.ClientSession(
                connector=connector,
                headers=self._headers,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trust_env=False,
                max_line_size=HEAD_LINE_BYTES_MAX,
                max_field_size=HEAD_LINE_BYTES_MAX,
                max_headers=HEAD_FIELDS_MAX,
            )
        return session


@lru_cache(maxsize=256)
def _timeout(total_seconds: float | None, connect_seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(
        total=total_seconds, connect=connect_seconds, sock_connect=connect_seconds, ceil_threshold=_NO_CEILING
    )


def _milliseconds_since(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)


def _location(response: aiohttp.ClientResponse) -> URL:
    try:
        return response.url.join(URL(response.headers["Location"]))
    except (KeyError, ValueError):
        raise BadResponse("the address redirects without a valid Location", status=response.status) from None
