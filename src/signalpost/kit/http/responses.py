"""Responses as callers get them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from signalpost.kit.http.errors import BadResponse

Sink = Callable[[bytes], Awaitable[None]]
"""Receives a file piece by piece."""

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
    _decoded: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    def json(self) -> Any:
        """Return the decoded body, the same object each time; numbers with a fraction or an exponent are text.

        Raises:
            BadResponse: the body is empty, compressed, not JSON, or larger than `JSON_BYTES_MAX`.
        """
        if self._decoded:  # by whoever looked for an error: a large body takes milliseconds
            return self._decoded[0]
        if len(self.body) > JSON_BYTES_MAX:
            raise BadResponse(f"the response ({self.status}) has more than {JSON_BYTES_MAX} bytes", status=self.status)
        try:
            self._decoded.append(_json.decode(self.body))
            return self._decoded[0]
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
