"""Webhooks of Meta's networks: the call that verifies the address, and bodies that are signed with an app's secret."""

import re
from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta, field

from signalpost.context import AppContext
from signalpost.kit import crypto, issue_text
from signalpost.kit.problems import InvalidSignature, VerificationFailed
from signalpost.kit.wire import Input
from signalpost.web.request import Request
from signalpost.web.signed import read_signed_body

SIGNATURE_PREFIX: Final = "sha256="
BODY_BYTES_MAX: Final = 3_000_000
"""Of a call, as Meta says."""
CHALLENGE: Final = {"text/plain": {"schema": {"type": "string", "description": "The challenge."}}}
"""The documented answer to `Handshake`."""
SIGNATURE: Final = {
    "X-Hub-Signature-256": "sha256= and the HMAC-SHA256 of the body with the secret of the app."
}  # fmt: skip
"""The documented header of a call."""
_SIGNATURE: Final = re.compile(SIGNATURE_PREFIX + "[0-9a-f]{64}")

Challenge = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z0-9_-]{1,200}$",
        extra={issue_text.FORMAT: "Must be 1 to 200 letters, digits, - or _."},
        description="What the response repeats.",
        examples=["1158201444"],
    ),
]


class Handshake(Input):
    """The query by which Meta verifies the address of a webhook."""

    mode: Annotated[Literal["subscribe"], Meta(description="What Meta wants to do.", examples=["subscribe"])] = field(
        name="hub.mode"
    )
    verify_token: Annotated[
        Annotated[str, Meta(min_length=1, max_length=500)],
        Meta(description="The operator's verify token.", examples=["a-word-of-your-choice"]),
    ] = field(name="hub.verify_token")
    challenge: Challenge = field(name="hub.challenge")


def shake_hands(verify_token: str | None, query: Handshake) -> str:
    """Return the challenge of whoever knows the verify token.

    Raises:
        VerificationFailed: the token is wrong, or the installation has none.
    """
    if verify_token is None or not crypto.equal(verify_token, query.verify_token):
        raise VerificationFailed("The verify token is not that of this installation.")
    return query.challenge


async def read_call(context: AppContext, request: Request, secrets: Sequence[str]) -> bytes:
    """Return the body of a call that is signed with one of these secrets; without any, no signature is valid.

    Each is compared, whichever it is. Nothing is read of a call whose signature cannot be one.

    Raises:
        InvalidSignature: the signature is missing or wrong.
        PayloadTooLarge: the body is larger than `BODY_BYTES_MAX`.
        Unavailable: it does not arrive, or too many large ones are being received.
    """
    signature = request.headers.get("x-hub-signature-256")
    if not secrets:
        raise InvalidSignature("This installation is not set up for such calls, so no signature is valid.")
    if signature is None or not _SIGNATURE.fullmatch(signature):
        raise InvalidSignature("X-Hub-Signature-256 is not of the form sha256= and 64 hexadecimal digits.")
    body = await read_signed_body(context, request, BODY_BYTES_MAX)
    signatures = [SIGNATURE_PREFIX + crypto.hmac_sha256(secret.encode(), body).hex() for secret in secrets]
    if not any([crypto.equal(expected, signature) for expected in signatures]):  # noqa: C419 - compares all of them
        raise InvalidSignature("X-Hub-Signature-256 is not the signature of this body.")
    return body
