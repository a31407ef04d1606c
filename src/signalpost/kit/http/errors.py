"""How an outgoing call can fail. What the caller does next depends on the class, so the distinction is strict:
after `NotSent` the request can be sent again, after `MaybeSent` the server may already have acted on it.

Messages contain our own words, host names and system error texts, never headers, bodies or query strings.
"""

from typing import Literal

Stage = Literal["url", "lookup", "lookup_refused", "pool", "connect", "tls"]


class HttpFailure(Exception):
    """A call without a usable response."""

    def __init__(self, detail: str, *, status: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        #: The HTTP status, if the response headers had arrived before the call failed.
        self.status = status


class UnsafeUrl(HttpFailure):
    """The address breaks a rule, or user-given addresses may not reach it. Nothing was sent."""


class UnknownHost(UnsafeUrl):
    """The name of the host was looked up and has no address, or the lookup failed."""


class NotSent(HttpFailure):
    """No byte of the request can have reached the server: no name, no connection, no TLS."""

    def __init__(self, detail: str, *, stage: Stage, ours: bool = False) -> None:
        super().__init__(detail)
        self.stage: Stage = stage
        #: True if our own side is at fault (resolver down, no free connection), so the receiver is not to blame.
        self.ours = ours


class MaybeSent(HttpFailure):
    """There was a connection but no complete response: the server may have done what was asked."""

    def __init__(self, detail: str, *, status: int | None = None, timed_out: bool = False) -> None:
        super().__init__(detail, status=status)
        self.timed_out = timed_out


class TooLarge(HttpFailure):
    """The headers or the body of the response are too large; the rest was not read. The request has been sent."""


class BadResponse(HttpFailure):
    """A complete but unusable response: not JSON, too many redirects, a failed download."""
