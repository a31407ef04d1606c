"""What comes back: the answer, read within its bounds, or the failure it became."""

import os
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import msgspec
from aiohttp.http_exceptions import LineTooLong

from signalpost.kit.http.connector import HEAD_BYTES_MAX, Call, HeadTooLarge
from signalpost.kit.http.errors import BadAnswer, HttpFailure, MaybeSent, NotSent, TooLarge, UnsafeUrl


@dataclass(frozen=True, slots=True)
class Response:
    """A complete answer of any status. Headers and body stay out of its repr, so out of logs too."""

    status: int
    #: Case-insensitive.
    headers: Mapping[str, str] = field(repr=False)
    #: As it came over the wire; never decompressed.
    body: bytes = field(repr=False)
    elapsed_ms: int
    #: True when the body was cut at the call's `bytes_max`.
    truncated: bool = False

    def json(self) -> Any:
        """Return the decoded body.

        Raises:
            BadAnswer: the body is empty, compressed or not JSON.
        """
        try:
            return msgspec.json.decode(self.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise BadAnswer(f"the answer ({self.status}) is not JSON", status=self.status) from None

    @property
    def text(self) -> str:
        """The body as UTF-8, with a replacement character for every byte that is none."""
        return self.body.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Downloaded:
    """What is known of a file after its bytes went to the sink."""

    #: Case-insensitive.
    headers: Mapping[str, str] = field(repr=False)
    bytes_count: int
    #: The last address of the redirect chain. It may carry a signature: log it through `redact_url` only.
    url: str = field(repr=False)
    elapsed_ms: int


async def read_body(answer: aiohttp.ClientResponse, bytes_max: int, *, truncate: bool) -> bytes:
    """Return the body; at most a little more than `bytes_max` bytes, and then only with `truncate`.

    Raises:
        TooLarge: more was announced or came, and `truncate` is off. The connection is dropped.
    """
    length = answer.content_length
    if length is not None and length <= bytes_max:
        return await answer.read()
    chunks = bytearray()
    async for chunk in pieces(answer, None if truncate else bytes_max):
        chunks += chunk
        if len(chunks) > bytes_max:
            answer.close()
            break
    return bytes(chunks)


async def pieces(answer: aiohttp.ClientResponse, bytes_max: int | None) -> AsyncGenerator[bytes, None]:
    """Yield the body as it comes, and fail before a byte over `bytes_max` is handed on.

    Raises:
        TooLarge: more than `bytes_max` was announced or came. The connection is dropped.
    """
    count = answer.content_length or 0 if answer.method != "HEAD" else 0
    if bytes_max is not None and count > bytes_max:
        answer.close()
        raise TooLarge(f"the answer announces {count} bytes, over {bytes_max}", status=answer.status)
    count = 0
    async for chunk in answer.content.iter_any():
        count += len(chunk)
        if bytes_max is not None and count > bytes_max:
            answer.close()
            raise TooLarge(f"the answer is over {bytes_max} bytes", status=answer.status)
        yield chunk


def explain(failure: Exception, call: Call, status: int | None) -> HttpFailure:
    """Say in our words what became of a call, and above all whether the request can have left.

    Only our own words and system error texts go in: aiohttp's messages may quote headers and query strings.
    """
    if call.refused is not None:
        return call.refused
    host = call.target.host
    if not call.connected:
        return _not_sent(failure, call)
    match failure:
        case TimeoutError():
            return MaybeSent(f"{host} did not answer in time", status=status, timed_out=True)
        case aiohttp.ClientResponseError():
            return _bad_head(failure, host)
        case aiohttp.ClientPayloadError():
            return MaybeSent(f"the answer of {host} broke off", status=status)
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
        return NotSent(f"no TLS connection to {host}, or its certificate is not valid", stage="tls")
    number = failure.errno if isinstance(failure, OSError) else None
    return NotSent(f"no connection to {host}: {os.strerror(number) if number else 'failed'}", stage="connect")


def _bad_head(failure: aiohttp.ClientResponseError, host: str) -> HttpFailure:
    cause: BaseException | None = failure
    while cause is not None:
        if isinstance(cause, (HeadTooLarge, LineTooLong)):
            return TooLarge(f"the head of the answer of {host} is over {HEAD_BYTES_MAX} bytes")
        cause = cause.__cause__
    return MaybeSent(f"the answer of {host} is not HTTP")
