"""The part of the client that aiohttp does. Imported by the first call: it costs a start 0.1 s and a process 9 MB."""

import asyncio
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode
from weakref import WeakSet

import aiohttp
import msgspec
from aiohttp.payload import AsyncIterablePayload, BytesPayload, Payload
from yarl import URL

from signalpost.kit.http.bodies import Part, RequestBody, checked_headers
from signalpost.kit.http.connector import (
    CURRENT,
    HEAD_FIELDS_MAX,
    HEAD_LINE_BYTES_MAX,
    Call,
    Connector,
    GuardedResolver,
)
from signalpost.kit.http.errors import BadResponse
from signalpost.kit.http.guard import Guard
from signalpost.kit.http.reading import CLOSE_SECONDS, STALL_SECONDS, Pace, explain, pieces, read_body, read_texts
from signalpost.kit.http.resolver import Resolver
from signalpost.kit.http.responses import Downloaded, Response, Sink
from signalpost.kit.http.sockets import HEARTBEAT_SECONDS, Socket
from signalpost.kit.http.urls import parse

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NO_CEILING = 1e9  # aiohttp rounds long timeouts up to whole seconds of the loop's clock; ours are exact
CONNECT_SECONDS = 3.0
_PIECE_BYTES = 256 * 1024
_IN_ONE_PIECE_BYTES_MAX = 1024 * 1024  # more would block the loop while it is copied to the socket


class Transport:
    """Sends what the client has checked. Guarded and trusted calls have separate connection pools."""

    def __init__(self, guard: Guard, resolver: Resolver, user_agent: str, limits: tuple[int, int]) -> None:
        self._guard = guard
        self._resolver = resolver
        # With `identity`, the size of a response is what comes over the wire: no zip bombs.
        self._headers = {"User-Agent": user_agent, "Accept-Encoding": "identity", "Accept": "*/*"}
        self._limits = limits
        self._sessions: dict[bool, aiohttp.ClientSession] = {}
        self._sockets: WeakSet[Socket] = WeakSet()

    async def close(self) -> None:
        """Close every connection."""
        for socket in list(self._sockets):
            await socket.close()
        for session in self._sessions.values():
            await session.close()

    async def request(  # noqa: PLR0913 - as `Client.request`
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None,
        json: Any,
        data: RequestBody | None,
        params: Mapping[str, str] | None,
        timeout_seconds: float,
        connect_timeout_seconds: float,
        bytes_max: int,
        trusted: bool,
        truncate: bool,
        before_send: Callable[[], None] | None,
    ) -> Response:
        """See `Client.request`."""
        started = time.perf_counter()
        call = self._call(url, trusted=trusted)
        call.before_send = before_send
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

    async def converse(
        self,
        url: str,
        message: Any,
        until: Callable[[bytes], bool],
        *,
        headers: Mapping[str, str] | None,
        timeout_seconds: float,
        bytes_max: int,
        trusted: bool,
        before_send: Callable[[], None] | None,
    ) -> Response:
        """See `Client.request` with `until`. Texts are never compressed, and connecting has the usual time."""
        started = time.perf_counter()
        call = self._call(url, trusted=trusted)
        call.before_send = before_send
        sent_headers = checked_headers(headers) if headers else None
        status: int | None = None
        token = CURRENT.set(call)
        try:
            async with asyncio.timeout(timeout_seconds):
                async with self._session(trusted=trusted).ws_connect(
                    call.target.url, headers=sent_headers, max_msg_size=bytes_max, decode_text=False,
                    timeout=aiohttp.ClientWSTimeout(ws_close=CLOSE_SECONDS),
                ) as socket:  # fmt: skip
                    status = 101
                    await socket.send_str(msgspec.json.encode(message).decode())
                    body = await read_texts(socket, until, bytes_max)
                    return Response(status, {}, body, _milliseconds_since(started))
        except aiohttp.WSServerHandshakeError as refusal:
            return Response(refusal.status, refusal.headers or {}, b"", _milliseconds_since(started))
        except (aiohttp.ClientError, OSError) as failure:
            raise explain(failure, call, status) from None
        finally:
            CURRENT.reset(token)

    async def connect(self, url: str, *, timeout_seconds: float, bytes_max: int, trusted: bool) -> Socket:
        """See `Client.connect`."""
        call = self._call(url, trusted=trusted)
        token = CURRENT.set(call)
        try:
            async with asyncio.timeout(timeout_seconds):
                opened = await self._session(trusted=trusted).ws_connect(
                    call.target.url, max_msg_size=bytes_max, decode_text=False, heartbeat=HEARTBEAT_SECONDS,
                    timeout=aiohttp.ClientWSTimeout(ws_close=CLOSE_SECONDS),
                )  # fmt: skip
        except aiohttp.WSServerHandshakeError as refusal:
            raise BadResponse(
                f"{call.target.host} responded with {refusal.status}, and opened no WebSocket", status=refusal.status
            ) from None
        except (aiohttp.ClientError, OSError) as failure:
            raise explain(failure, call, None) from None
        finally:
            CURRENT.reset(token)
        socket = Socket(opened, call.target.host)
        self._sockets.add(socket)
        return socket

    async def download(  # noqa: PLR0913 - as `Client.download`
        self,
        url: str,
        sink: Sink,
        *,
        bytes_max: int,
        timeout_seconds: float,
        connect_timeout_seconds: float,
        headers: Mapping[str, str] | None,
        redirects_max: int,
        bytes_per_second_min: int,
        trusted: bool,
    ) -> Downloaded:
        """See `Client.download`."""
        started = time.perf_counter()
        sent_headers = checked_headers(headers) if headers else None
        limits = _timeout(None, connect_timeout_seconds, STALL_SECONDS if bytes_per_second_min else None)
        pace = Pace(bytes_per_second_min)
        call = self._call(url, trusted=trusted)
        deadline = asyncio.timeout(timeout_seconds)
        try:
            async with deadline:
                for _ in range(redirects_max + 1):
                    result = await self._fetch(call, sink, bytes_max, sent_headers, limits, pace, trusted=trusted)
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
        pace: Pace,
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
                async with aclosing(pieces(response, bytes_max, pace)) as stream:
                    async for chunk in stream:
                        count += len(chunk)
                        await sink(chunk)
                return response.headers, count
        except aiohttp.ClientError as failure:
            raise explain(failure, call, status) from None
        finally:
            CURRENT.reset(token)

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
                resolver=GuardedResolver(self._resolver, guard), limit=limit, limit_per_host=limit_per_host, guard=guard
            )
            session = self._sessions[trusted] = aiohttp.ClientSession(
                connector=connector,
                headers=self._headers,
                timeout=_timeout(None, CONNECT_SECONDS),  # of WebSockets: every other call brings its own
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trust_env=False,
                max_line_size=HEAD_LINE_BYTES_MAX,
                max_field_size=HEAD_LINE_BYTES_MAX,
                max_headers=HEAD_FIELDS_MAX,
            )
        return session


@lru_cache(maxsize=256)
def _timeout(
    total_seconds: float | None, connect_seconds: float, stall_seconds: float | None = None
) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(
        total=total_seconds, connect=connect_seconds, sock_connect=connect_seconds, sock_read=stall_seconds,
        ceil_threshold=_NO_CEILING,
    )  # fmt: skip


def _milliseconds_since(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)


def _location(response: aiohttp.ClientResponse) -> URL:
    try:
        return response.url.join(URL(response.headers["Location"]))
    except (KeyError, ValueError):
        raise BadResponse("the address redirects without a valid Location", status=response.status) from None


def as_payload(body: RequestBody) -> Payload | AsyncIterable[bytes] | aiohttp.MultipartWriter:
    """Convert bytes, a stream, a form (mapping) or multipart fields (parts) to what aiohttp sends."""
    match body:
        case bytes():
            return _bytes_payload(body, "application/octet-stream")
        case AsyncIterable():
            return body
        case Mapping():
            return _bytes_payload(urlencode(body).encode(), "application/x-www-form-urlencoded")
        case _:
            writer = aiohttp.MultipartWriter("form-data")
            for part in body:
                writer.append_payload(_part_payload(part))
            return writer


def json_payload(encoded: bytes) -> Payload:
    return _bytes_payload(encoded, "application/json")


class _SizedStream(AsyncIterablePayload):
    """A stream whose length is known beforehand."""

    def __init__(self, content: AsyncIterable[bytes], size: int | None, content_type: str) -> None:
        super().__init__(content, content_type=content_type)
        self._size = size


def _bytes_payload(content: bytes, content_type: str) -> Payload:
    if len(content) > _IN_ONE_PIECE_BYTES_MAX:
        return _SizedStream(_in_pieces(content), len(content), content_type)
    return BytesPayload(content, content_type=content_type)


async def _in_pieces(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), _PIECE_BYTES):
        yield content[start : start + _PIECE_BYTES]


def _part_payload(part: Part) -> Payload:
    content, content_type = part.content, part.content_type
    payload: Payload
    if isinstance(content, str):
        payload = _bytes_payload(content.encode(), content_type or "text/plain; charset=utf-8")
    elif isinstance(content, bytes):
        payload = _bytes_payload(content, content_type or "application/octet-stream")
    else:
        payload = _SizedStream(content, part.size, content_type or "application/octet-stream")
    names = {"name": part.name} if part.filename is None else {"name": part.name, "filename": part.filename}
    payload.set_content_disposition("form-data", quote_fields=True, **names)
    return payload
