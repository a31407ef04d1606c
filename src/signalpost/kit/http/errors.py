"""How an outgoing call can end badly. The caller's next step hangs on which of these it is, so the line is strict:
`NotSent` may be sent again, `MaybeSent` may already have happened at the other end.

Messages are made of our own words, host names and system error texts: never of headers, bodies or query strings.
"""

from typing import Literal

Stage = Literal["url", "lookup", "lookup_refused", "pool", "connect", "tls"]


class HttpFailure(Exception):
    """A call that brought no usable answer."""

    def __init__(self, detail: str, *, status: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        #: The HTTP status, when the answer's head had arrived before the call failed.
        self.status = status


class UnsafeUrl(HttpFailure):
    """The address breaks a rule or leads where user-given addresses must not lead. Nothing was sent."""


class NotSent(HttpFailure):
    """No byte of the request can have reached the server: no name, no connection, no TLS."""

    def __init__(self, detail: str, *, stage: Stage, ours: bool = False) -> None:
        super().__init__(detail)
        self.stage: Stage = stage
        #: True when our own side is at fault (resolver down, no free connection), so the receiver must not be charged.
        self.ours = ours


class MaybeSent(HttpFailure):
    """A connection stood, then no complete answer came: the server may have done what was asked."""

    def __init__(self, detail: str, *, status: int | None = None, timed_out: bool = False) -> None:
        super().__init__(detail, status=status)
        self.timed_out = timed_out


class TooLarge(HttpFailure):
    """The answer's head or body went over its bound; the rest was not read. The request has been sent."""


class BadAnswer(HttpFailure):
    """A complete answer came that is not what was asked for: no JSON, a redirect too many, a failed download."""
