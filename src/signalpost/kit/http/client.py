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
from signalpost.kit.http.answers import Downloaded, Response, explain, pieces, read_body
from signalpost.kit.http.bodies import Body, as_payload, checked_headers, default_headers, json_payload
from signalpost.kit.http.connector import (
    CURRENT,
    HEAD_FIELDS_MAX,
    HEAD_LINE_BYTES_MAX,
    Call,
    Connector,
    GuardedResolver,
)
from signalpost.kit.http.errors import BadAnswer, NotSent, UnsafeUrl
from signalpost.kit.http.guard import Guard
from signalpost.kit.http.resolver import Lookup, Resolver
from signalpost.kit.http.urls import parse

Sink = Callable[[bytes], Awaitable[None]]

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NO_CEILING = 1e9  # aiohttp rounds long timeouts up to whole seconds of the loop's clock; ours are exact


class Client:
    """The one way out. Every call is bounded in time and bytes, follows no redirect, keeps no cookie, reads no proxy
    variable, and leads only to public addresses over https unless the operator says otherwise.

    Guarded and trusted calls have separate connection pools: a guarded call can never ride on a connection that was
    dialled without a check. Within a pool, connections are kept by (host, port, scheme), each checked when dialled.
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
        """Keep the rules; sockets come with the first call, on the loop that runs then.

        Args:
            allowed_private_hosts: what guarded calls may reach in spite of the guard, see `AllowList.parse`.
            user_agent: sent with every call that brings none.
            connections_max: open connections per pool; a call that finds none free waits within its connect timeout.
            connections_per_host_max: the same for one (host, port, scheme); 0 = no bound of its own.
            lookup: how names become addresses; the system's way by default.

        Raises:
            ValueError: an entry of `allowed_private_hosts` cannot be read.
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
        data: Body | None = None,
        params: Mapping[str, str] | None = None,
        timeout_seconds: float = 10.0,
        connect_timeout_seconds: float = 3.0,
        bytes_max: int = 1_000_000,
        trusted: bool = False,
        truncate: bool = False,
    ) -> Response:
        """Send one request, at most once, and read the whole answer, whatever its status.

        Args:
            method: in capitals.
            url: http(s) address; not longer than 2048 characters.
            headers: added to ours, and stronger than ours.
            json: sent as JSON (None: no body).
            data: bytes or a stream as they are, a mapping as a form, parts as multipart/form-data.
            params: added to the address's query.
            timeout_seconds: for the whole call, from the wait for a connection to the body's last byte.
            connect_timeout_seconds: for the wait for a free place, lookup, dial and TLS together.
            bytes_max: of the answer's body.
            trusted: the operator chose this address, so it may be private or plain http.
            truncate: cut an answer over `bytes_max` (and drop the connection) instead of failing.

        Raises:
            UnsafeUrl: the address is malformed or forbidden; nothing was sent.
            NotSent: no connection came about; nothing was sent.
            MaybeSent: no complete answer came, but the server may have received the request.
            TooLarge: head over 16 KiB, or body over `bytes_max`.
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
            ) as answer:
                status = answer.status
                body = await read_body(answer, bytes_max, truncate=truncate)
                elapsed_ms = _milliseconds_since(started)
                return Response(status, answer.headers, body[:bytes_max], elapsed_ms, len(body) > bytes_max)
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
        """GET `url` and hand its bytes to `sink` as they come; the bytes are never all in memory.

        Args:
            url: as in `request`.
            sink: awaited with each piece, in order; its time counts, and what it raises comes out unchanged.
            bytes_max: more, announced or real, is refused. `sink` may have got some pieces before.
            timeout_seconds: for everything, redirects and `sink` included.
            connect_timeout_seconds: as in `request`, for each hop.
            headers: sent to the first host only, should a redirect lead to another one.
            redirects_max: hops to follow, each judged like a fresh address.
            trusted: as in `request`; a redirect to another host is never trusted.

        Raises:
            BadAnswer: a status other than 200, a redirect too many or one that leads nowhere. `status` tells.
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
                    found = await self._fetch(call, sink, bytes_max, sent_headers, limits, trusted=trusted)
                    if not isinstance(found, URL):
                        response_headers, count = found
                        return Downloaded(response_headers, count, str(call.target.url), _milliseconds_since(started))
                    if parse(str(found)).origin != call.target.origin:
                        sent_headers, trusted = None, False
                    call = self._call(str(found), trusted=trusted)
        except TimeoutError as failure:
            if not deadline.expired():
                raise  # the sink's own
            raise explain(failure, call, None) from None
        raise BadAnswer(f"{call.target.host} redirects, which is not followed any further", status=302)

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
        """Hand one answer to the sink, or return where it redirects to."""
        status: int | None = None
        count = 0
        token = CURRENT.set(call)
        try:
            async with self._session(trusted=trusted).get(
                call.target.url, headers=headers, timeout=limits, allow_redirects=False
            ) as answer:
                status = answer.status
                if status in _REDIRECTS:
                    answer.close()  # its body is of no interest and of unknown size
                    return _location(answer)
                if status != 200:
                    answer.close()
                    raise BadAnswer(f"{call.target.host} answered {status}", status=status)
                async with aclosing(pieces(answer, bytes_max)) as stream:
                    async for chunk in stream:
                        count += len(chunk)
                        await sink(chunk)
                return answer.headers, count
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
        """Judge an address before it is kept. The judgement does not last: every call judges again when it dials.

        Args:
            url: the address as the user gave it.
            schemes: allowed ones; http is also fine where the operator's list names the host.
            ports: allowed ones, None for any.
            trusted: only form and port are judged, http is fine and nothing is looked up.

        Raises:
            UnsafeUrl: `detail` says in a sentence what is wrong.
        """
        target = parse(url)
        if not trusted:
            self._guard.judge_target(target, schemes=schemes)
        if ports is not None and target.port not in ports:
            raise UnsafeUrl(f"port {target.port} is not allowed")
        if not trusted and target.address is None:
            try:
                addresses = await self._resolver.addresses(target.host)
            except NotSent as failure:
                raise UnsafeUrl(failure.detail) from None
            self._guard.judge_addresses(target, addresses, schemes=schemes)

    def _call(self, url: str, *, trusted: bool) -> Call:
        target = parse(url)
        if not trusted:
            self._guard.judge_target(target)
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


def _location(answer: aiohttp.ClientResponse) -> URL:
    try:
        return answer.url.join(URL(answer.headers["Location"]))
    except (KeyError, ValueError):
        raise BadAnswer("the address redirects to nowhere", status=answer.status) from None
