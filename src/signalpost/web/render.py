"""What a handler returned, as a response."""

from typing import Any

import msgspec

from signalpost.web.conditional import Conditional, is_current
from signalpost.web.request import Call
from signalpost.web.response import Response
from signalpost.web.routing import Endpoint, RawResponse
from signalpost.web.streaming import Stream

_encode = msgspec.json.Encoder().encode


def render(endpoint: Endpoint, call: Call, value: Any) -> Response:
    """Render the result of a handler."""
    if isinstance(value, RawResponse):
        return raw_response(call, value)
    if endpoint.status == 204:
        return respond(call, 204, b"", {})
    if not endpoint.etag:
        return respond(call, endpoint.status, _encode(value), {})
    conditional = value if isinstance(value, Conditional) else None
    etag = conditional.etag if conditional else f'"{value.version}"'
    if not endpoint.writes and is_current(call.request.headers.get("if-none-match", "").strip(), etag):
        return respond(call, 304, b"", {"etag": etag})
    return respond(call, endpoint.status, _encode(conditional.make() if conditional else value), {"etag": etag})


def raw_response(call: Call, value: RawResponse) -> Response:
    """Render a response that is not JSON."""
    return respond(call, value.status, value.body, value.headers, value.media_type.encode())


def respond(
    call: Call, status: int, body: bytes | Stream, headers: dict[str, str], media_type: bytes = b"application/json"
) -> Response:
    """Return a response with these headers, and those that the call has gathered."""
    extra = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
    return Response(status, body, [*call.headers, *extra], media_type)
