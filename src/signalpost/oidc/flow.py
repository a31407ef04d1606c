"""What a sign-in needs to know between its requests.

It travels with the browser, sealed: nothing is stored for visitors who never come back, and nobody else can go on.
"""

import base64
import binascii
import hashlib
import secrets
from typing import Final, TypeVar
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.kit import cells, clock
from signalpost.kit.crypto import KeyRing, Undecipherable

LIFETIME_SECONDS: Final = 600
CODE_SECONDS: Final = 60
CODE_PREFIX: Final = "spo_"
_LENGTH_MAX: Final = 6_000


class Client(Struct, frozen=True):
    """Whoever began the sign-in and gets its result: the address to return to, with what only they can redeem."""

    redirect_url: str = ""
    code_challenge: str = ""
    state: str | None = None
    console_page: str | None = None
    """Set when the browser itself began: it gets a session in a cookie, and goes to this page of the console."""


class Flow(Struct, frozen=True):
    """A sign-in whose browser is at the provider."""

    state: str
    nonce: str
    verifier: str
    client: Client
    expires: float


class Person(Struct, frozen=True):
    """Who the provider says is there; the mailbox is proved."""

    subject: str
    email: str
    name: str | None


class Pending(Struct, frozen=True):
    """A sign-in that needs one more answer of the person: see `actions.sign_in.Question`."""

    person: Person
    user_id: UUID | None
    client: Client
    expires: float


class SignedIn(Struct, frozen=True):
    """A user who signed in, and for whom."""

    user_id: UUID
    client: Client


class Grant(Struct, frozen=True):
    """A user who signed in, for whoever has the verifier of this challenge."""

    user_id: UUID
    code_challenge: str
    expires: float


S = TypeVar("S", Flow, Pending, Grant)


def begin(keys: KeyRing, client: Client) -> Flow:
    """Return a new flow. Its state has the name of the cell: the provider sends the browser back with nothing else."""
    return Flow(
        state=cells.with_name(keys.cell, secrets.token_urlsafe(24)),
        nonce=secrets.token_urlsafe(24),
        verifier=secrets.token_urlsafe(48),
        client=client,
        expires=expires_in(LIFETIME_SECONDS),
    )


def expires_in(seconds: float) -> float:
    """Return an instant as it is sealed."""
    return clock.actual().timestamp() + seconds


def seal(keys: KeyRing, value: Flow | Pending | Grant) -> str:
    """Return the value as text that only this installation can read, and that fits into a cookie."""
    return cells.with_name(keys.cell, _text(keys.seal(msgspec.msgpack.encode(value), context=_context(type(value)))))


def _text(sealed: bytes) -> str:
    return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode()


def unseal(keys: KeyRing, kind: type[S], text: str | None) -> S | None:
    """Return what was sealed as this kind, unless it is too old or was changed.

    Only the text that `seal` returned is taken, after the name of the cell: base64 has others for the same bytes, and
    each would be a code of its own that can be used once.
    """
    if text is None or len(text) > _LENGTH_MAX:
        return None
    text = cells.without_name(text)
    try:
        sealed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        if _text(sealed) != text:
            return None
        value = msgspec.msgpack.decode(keys.open(sealed, context=_context(kind)), type=kind)
    except (binascii.Error, ValueError, Undecipherable, msgspec.MsgspecError):
        return None
    return value if value.expires > clock.actual().timestamp() else None


def challenge_of(verifier: str) -> str:
    """Return the challenge of a verifier by the method S256 of RFC 7636."""
    digest = hashlib.sha256(verifier.encode("ascii", "replace")).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _context(kind: type[Struct]) -> str:
    return f"oidc.{kind.__name__.lower()}"
