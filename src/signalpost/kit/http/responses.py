"""Responses read within their bounds, and the failures that calls end with."""

import os
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import msgspec
from aiohttp.http_exceptions import LineTooLong

from signalpost.kit.http.connector import HEAD_BYTES_MAX, Call, HeadTooLarge
from signalpost.kit.http.errors import BadResponse, HttpFailure, MaybeSent, NotSent, TooLarge, UnsafeUrl

JSON_BYTES_MAX = 200_000
"""Of a body that is decoded in one step: a megabyte of `[[]]` would hold the loop for 70 ms."""

# Numbers with a fraction or an exponent stay text: for some, such as `1e308`, msgspec needs 15 microseconds each.
_json = msgspec.json.Decoder(float_hook=str)


@dataclass(frozen=True, slots=True)
class Response:
    """A complete response of any status. Headers and body stay out of its repr, and so out of logs."""

    status: int
    #: Case-insensitive.
    headers: Mapping[str, str] = field(repr=False)
    #: As it came over the wire, never decompressed.
    body: bytes = field(repr=False)
    elapsed_ms: int
    #: True when the body was cut at the call's `bytes_max`.
    truncated: bool = False

    def json(self) -> Any:
        """Return the decoded body; numbers with a fraction or an exponent are text.

        Raises:
            BadResponse: the body is empty, compressed, not JSON, or larger than `JSON_BYTES_MAX`.
        """
        if len(self.body) > JSON_BYTES_MAX:
            raise BadResponse(f"the response ({self.status}) has more than {JSON_BYTES_MAX} bytes", status=self.status)
        try:
            return _json.decode(self.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise BadResponse(f"the response ({self.status}) is not JSON", status=self.status) from None

    @property
    def text(self) -> str:
        """The body decoded as UTF-8, with a replacement character for every invalid byte."""
        return self.body.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Downloaded:
    """What is known about a file after its bytes went to the sink."""

    #: Case-insensitive.
    headers: Mapping[str, str] = field(repr=False)
    bytes_count: int
    #: The last address of the redirect chain. It may contain a signature: log it only through `redact_url`.
    url: str = field(repr=False)
    elapsed_ms: int


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


async def pieces(response: aiohttp.ClientResponse, bytes_max: int | None) -> AsyncGenerator[bytes, None]:
    """Yield the body as it arrives; fail before yielding a byte over `bytes_max`.

    Raises:
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
        yield chunk


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
