"""Bodies whose sender is known only when all of them is here, because the signature is of the whole."""

import asyncio
from typing import Final

from signalpost.context import AppContext
from signalpost.kit import problems
from signalpost.web.request import BODY_SECONDS, Request
from signalpost.web.streaming import body_pieces

SMALL_BYTES: Final = 16_384
"""So much of each body is always accepted: notifications are seldom larger."""
UNVERIFIED_BYTES_MAX: Final = 48_000_000
"""Of all bodies of this process that are being received, beyond `SMALL_BYTES` of each: strangers can send them too."""


class Unverified:
    """How many bytes this process holds of bodies that were not verified yet."""

    def __init__(self) -> None:
        self.bytes = 0


async def read_signed_body(context: AppContext, request: Request, bytes_max: int) -> bytes:
    """Return the body, which is not verified yet.

    Raises:
        PayloadTooLarge: it is larger than `bytes_max`.
        Unavailable: it does not arrive, or too many large ones are being received; the sender repeats the call.
    """
    too_large = problems.PayloadTooLarge(f"The body is larger than {bytes_max} bytes.", limit={"max": bytes_max})
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced[:20]) > bytes_max:
        raise too_large
    unverified, parts, size, counted = context.state(Unverified), [], 0, 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for piece in body_pieces(request):
                parts.append(piece)
                size += len(piece)
                if size > bytes_max:
                    raise too_large
                more = max(0, size - SMALL_BYTES) - counted
                if more and unverified.bytes + more > UNVERIFIED_BYTES_MAX:
                    raise problems.Unavailable("Too many large calls are being received.", headers={"Retry-After": "5"})
                unverified.bytes, counted = unverified.bytes + more, counted + more
            return b"".join(parts)
    except TimeoutError:
        raise problems.Unavailable(f"The body did not arrive within {BODY_SECONDS} seconds.") from None
    finally:
        unverified.bytes -= counted
