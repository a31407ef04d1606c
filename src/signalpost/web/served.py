"""A request that was served for a caller, for whoever keeps a record of them."""

from collections.abc import Callable
from typing import NamedTuple

from signalpost.web.caller import Caller


class Served(NamedTuple):
    """What is known when the response is ready, without any part of a body.

    Args:
        caller: whose request it was.
        operation: the operation's id in the OpenAPI document.
        method: as it was sent; HEAD is served as GET.
        path: without secrets in it.
        status: of the response.
        code: of the problem, if it is one.
        at: when the response was ready, in seconds since 1970.
        seconds: from the arrival of the request until then.
        request_id: as the response names it.
        address: of the client.
    """

    caller: Caller
    operation: str
    method: str
    path: str
    status: int
    code: str | None
    at: float
    seconds: float
    request_id: str
    address: str


Report = Callable[[Served], None]
"""Called for each of them before its response is sent: it only takes note."""
