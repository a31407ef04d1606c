"""Responses read within their bounds, and the failures that calls end with."""

import os
import time
from collections.abc import AsyncGenerator, Callable
from typing import Any

import aiohttp
from aiohttp.http_exceptions import LineTooLong

from signalpost.kit.http.connector import HEAD_BYTES_MAX, Call, HeadTooLarge
from signalpost.kit.http.errors import BadResponse, HttpFailure, MaybeSent, NotSent, TooLarge, UnsafeUrl

STALL_SECONDS = 15.0
"""A server that has to keep a pace may send nothing for this long."""
GRACE_SECONDS = 5.0
CLOSE_SECONDS = 0.5
"""How long the other end of a WebSocket may take to say goodbye."""


async def read_body(response: aiohttp.ClientResponse, bytes_max: int, *, truncate: bool) -> bytes:
    """Return the body; a little more than `bytes_max` bytes at most, and that only with `truncate`.

    Raises:
        TooLarge: the body is announced or found to be larger, and `truncate` is off. The connection is dropped.
    """
    length = response.content_length
    if length is not None and length <= bytes_max:
        return await response.read()
    chunks = bytearray()
    async for chunk in pieces(response, None if truncate else bytes_max):
        chunks += chunk
        if len(chunks) > bytes_max:
            response.close()
            break
    return bytes(chunks)


async def read_texts(
    socket: aiohttp.ClientWebSocketResponse[Any], until: Callable[[bytes], bool], bytes_max: int
) -> bytes:
    """Return the texts that come over a WebSocket, one a line, with the first one that `until` is true of.

    Raises:
        TooLarge: they have more than `bytes_max` bytes. The connection is closed.
        BadResponse: what comes is no WebSocket.
    """
    texts = bytearray()
    async for message in socket:
        if message.type is aiohttp.WSMsgType.ERROR:
            raise _broken(message.data, bytes_max)
        if message.type is aiohttp.WSMsgType.TEXT:
            text = message.data.replace(b"\r", b" ").replace(b"\n", b" ")
            texts += text + b"\n"
            if until(text):
                break
        if len(texts) > bytes_max:
            raise _texts_too_large(bytes_max)
    return bytes(texts)


def _broken(error: Exception, bytes_max: int) -> Exception:
    if not isinstance(error, aiohttp.WebSocketError):
        return error
    too_large = error.code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
    return _texts_too_large(bytes_max) if too_large else BadResponse("what came is no WebSocket", status=101)


def _texts_too_large(bytes_max: int) -> TooLarge:
    return TooLarge(f"the texts of the WebSocket are larger than {bytes_max} bytes", status=101)


class Pace:
    """Gives up a server that sends too slowly. What it sent is not yet counted before `GRACE_SECONDS` have passed."""

    def __init__(self, bytes_per_second_min: int) -> None:
        self._bytes_per_second_min = bytes_per_second_min
        self._count = 0
        self._waited = 0.0
        self._since = time.monotonic()

    def wait(self) -> None:
        """Begin to wait for the server."""
        self._since = time.monotonic()

    def arrived(self, count: int) -> None:
        """Count the next bytes.

        Raises:
            MaybeSent: the server sends too slowly.
        """
        self._count += count
        self._waited += time.monotonic() - self._since
        if self._waited > GRACE_SECONDS and self._count < self._waited * self._bytes_per_second_min:
            raise MaybeSent("the server sends too slowly", timed_out=True)


async def pieces(
    response: aiohttp.ClientResponse, bytes_max: int | None, pace: Pace | None = None
) -> AsyncGenerator[bytes, None]:
    """Yield the body as it arrives; fail before yielding a byte over `bytes_max`.

    Raises:
        MaybeSent: the server does not keep the pace. The connection is dropped.
        TooLarge: the body is announced or found to be larger than `bytes_max`. The connection is dropped.
    """
    count = response.content_length or 0 if response.method != "HEAD" else 0
    if bytes_max is not None and count > bytes_max:
        response.close()
        raise TooLarge(f"the response announces {count} bytes, more than {bytes_max}", status=response.status)
    count = 0
    async for chunk in response.content.iter_any():
        count += len(chunk)
        if bytes_max is not None and count > bytes_max:
            response.close()
            raise TooLarge(f"the response is larger than {bytes_max} bytes", status=response.status)
        if pace is None:
            yield chunk
            continue
        try:
            pace.arrived(len(chunk))
        except MaybeSent:
            response.close()
            raise
        yield chunk
        pace.wait()  # the time of whoever takes the pieces is not the server's


def explain(failure: Exception, call: Call, status: int | None) -> HttpFailure:
    """Turn the exception of a call into a failure of ours that says whether the request may have been sent.

    Messages contain only our own words and system error texts: those of aiohttp may quote headers and query strings.
    """
    if call.refused is not None:
        return call.refused
    host = call.target.host
    if not call.connected:
        return _not_sent(failure, call)
    match failure:
        case TimeoutError():
            return MaybeSent(f"{host} did not respond in time", status=status, timed_out=True)
        case aiohttp.ClientResponseError():
            return _bad_head(failure, host)
        case aiohttp.ClientPayloadError():
            return MaybeSent(f"the response of {host} was cut off", status=status)
        case _:
            return MaybeSent(f"the connection to {host} was lost", status=status)


def _not_sent(failure: Exception, call: Call) -> HttpFailure:
    host = call.target.host
    if isinstance(failure, aiohttp.InvalidURL):
        return UnsafeUrl("the address is malformed")
    if isinstance(failure, TimeoutError):
        if not call.dialling:
            return NotSent("no connection became free in time", stage="pool", ours=True)
        return NotSent(f"connecting to {host} took too long", stage="connect")
    if isinstance(failure, (aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError)):
        return NotSent(f"no TLS connection to {host}, or its certificate is invalid", stage="tls")
    errno = failure.errno if isinstance(failure, OSError) else None
    return NotSent(f"no connection to {host}: {os.strerror(errno) if errno else 'failed'}", stage="connect")


def _bad_head(failure: aiohttp.ClientResponseError, host: str) -> HttpFailure:
    cause: BaseException | None = failure
    while cause is not None:
        if isinstance(cause, (HeadTooLarge, LineTooLong)):
            return TooLarge(f"the response headers of {host} are larger than {HEAD_BYTES_MAX} bytes")
        cause = cause.__cause__
    return MaybeSent(f"the response of {host} is not HTTP")
