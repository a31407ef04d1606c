"""The rows of authorization flows: a state that works once within ten minutes, in the one browser that started it."""

import base64
import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.accounts.actions.connect_request import ConnectRequest
from signalpost.accounts.schemas import Via
from signalpost.context import AppContext
from signalpost.events import Actor
from signalpost.kit import cells, crypto, rows
from signalpost.kit.crypto import Undecipherable, equal
from signalpost.kit.db import Db

LIFETIME = timedelta(minutes=10)


class FlowStarter(Struct, frozen=True):
    """Who began a flow, and by which credential."""

    actor: Actor
    user_id: UUID
    key_id: UUID | None
    mode: Literal["live", "test"]
    via: Via
    invite_id: UUID | None = None
    """Of the invitation by which a guest connects."""


class OAuthFlow(Struct, frozen=True):
    """A flow: who wants to connect an account to which profile, and the browser in which that was agreed to."""

    workspace_id: UUID
    profile_id: UUID
    platform: str
    account_id: UUID | None
    base_url: str
    redirect_url: str | None
    code_verifier: bytes
    authorize_url: bytes | None  # None: begun by a release that did not store it
    browser_hash: bytes | None  # None: nobody has started it yet
    started_by: FlowStarter
    expires_at: datetime
    choices: bytes | None  # of a choice that is open: see `actions.choices`
    notes: bytes | None  # of a connector whose request is pushed: `AuthorizationCode.notes`


class FlowSecrets(Struct, frozen=True, kw_only=True):
    """What a new flow needs: the state, the verifier of its code challenge, and what else is only known here."""

    state: str
    code_verifier: str
    notes: Mapping[str, str] | None = None

    @classmethod
    def new(cls, cell: str) -> "FlowSecrets":
        """Return random secrets; the state has the name of the cell."""
        return cls(state=cells.with_name(cell, crypto.random_token()), code_verifier=crypto.random_token())

    @property
    def code_challenge(self) -> str:
        """The S256 challenge of PKCE."""
        return code_challenge_of(self.code_verifier)


def code_challenge_of(code_verifier: str) -> str:
    """Return the S256 challenge of PKCE."""
    digest = hashlib.sha256(code_verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


_INSERT = """
insert into oauth_flow (state_hash, workspace_id, profile_id, platform, account_id, base_url, redirect_url,
    code_verifier, authorize_url, started_by, created_at, expires_at, choices, notes)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now(), now() + $11::interval, $12, $13)
returning expires_at
"""
_OPEN = "where state_hash = $1 and used_at is null and expires_at > now()"
_FIND = f"select {rows.columns(OAuthFlow)} from oauth_flow {_OPEN}"  # noqa: S608 - constants only
_BIND = f"""
update oauth_flow set browser_hash = $2 {_OPEN} and browser_hash is null
returning {rows.columns(OAuthFlow)}
"""  # noqa: S608 - constants only
# The first request of its browser uses the flow up, whatever becomes of that request. Mail scanners and link previews
# open the address too: without the cookie they change nothing.
_USE = f"""
update oauth_flow set used_at = now() {_OPEN} and platform = $2 and browser_hash = $3
returning {rows.columns(OAuthFlow)}
"""  # noqa: S608 - constants only
_USE_FORM = f"""
update oauth_flow set used_at = now(), choices = null {_OPEN}
returning {rows.columns(OAuthFlow)}
"""  # noqa: S608 - constants only
_KEEP = f"update oauth_flow set notes = $2 {_OPEN}"  # noqa: S608 - constants only
_LISTED = "select $2 = any(redirect_urls) from workspace where id = $1"
_read = rows.reader(OAuthFlow)


async def insert_flow(
    context: AppContext,
    request: ConnectRequest,
    secrets: FlowSecrets,
    *,
    base_url: str,
    authorize_url: str,
    redirect_url: str | None,
    started_by: FlowStarter,
    choices: str | None = None,
) -> datetime:
    """Store a flow in a transaction of its own; return when it expires."""
    state_hash = _hash(secrets.state)

    def sealed(column: str, value: str) -> bytes:
        return _sealed(context, state_hash, request.workspace_id, column, value.encode())

    async with context.database.transaction() as db:
        expires_at: datetime = await db.fetchval(
            _INSERT,
            state_hash,
            request.workspace_id,
            request.profile_id,
            request.platform,
            request.account_id,
            base_url,
            redirect_url,
            sealed("code_verifier", secrets.code_verifier),
            sealed("authorize_url", authorize_url),
            started_by,
            LIFETIME,
            None if choices is None else sealed("choices", choices),
            None if secrets.notes is None else sealed("notes", msgspec.json.encode(secrets.notes).decode()),
        )
    return expires_at


async def find_flow(db: Db, state: str) -> OAuthFlow | None:
    """Return a flow that can still be used."""
    return await rows.read_one(db, _read, _FIND, _hash(state))


async def bind_flow(db: Db, state: str, browser: str) -> OAuthFlow | None:
    """Bind the flow to the browser that gets this secret and return it; None if it is over or already bound."""
    return await rows.read_one(db, _read, _BIND, _hash(state), _hash(browser))


async def keep_notes(context: AppContext, db: Db, flow: OAuthFlow, state: str, notes: Mapping[str, str]) -> None:
    """Store what the exchange of the code will need."""
    state_hash = _hash(state)
    sealed = _sealed(context, state_hash, flow.workspace_id, "notes", msgspec.json.encode(dict(notes)))
    await db.execute(_KEEP, state_hash, sealed)


async def redirect_url_of(db: Db, flow: OAuthFlow) -> str | None:
    """Return where the browser goes at the end of the flow, if that is still on the workspace's list."""
    listed = flow.redirect_url is not None and await db.fetchval(_LISTED, flow.workspace_id, flow.redirect_url)
    return flow.redirect_url if listed else None


async def use_form_flow(db: Db, state: str) -> OAuthFlow | None:
    """Mark a flow as used whose form was filled in; None if it is over. No browser is bound to it."""
    return await rows.read_one(db, _read, _USE_FORM, _hash(state))


async def use_flow(db: Db, platform: str, state: str, browser: str) -> OAuthFlow | None:
    """Mark the flow as used and return it.

    None if the state is unknown, used, expired, another platform's, or of a flow that another browser started.
    """
    return await rows.read_one(db, _read, _USE, _hash(state), platform, _hash(browser))


def is_of_browser(flow: OAuthFlow, browser: str | None) -> bool:
    """Return whether the browser with this secret started the flow."""
    return flow.browser_hash is not None and browser is not None and equal(flow.browser_hash, _hash(browser))


def open_verifier(context: AppContext, flow: OAuthFlow, state: str) -> str:
    """Return the code verifier of a flow.

    Raises:
        kit.crypto.Undecipherable: it was sealed with a master key that is lost.
    """
    return _opened(context, flow, state, "code_verifier", flow.code_verifier)


def open_choices(context: AppContext, flow: OAuthFlow, state: str) -> str:
    """Return what a person chooses from.

    Raises:
        kit.crypto.Undecipherable: it was sealed with a master key that is lost, or there is none.
    """
    if flow.choices is None:
        raise Undecipherable
    return _opened(context, flow, state, "choices", flow.choices)


def open_authorize_url(context: AppContext, flow: OAuthFlow, state: str) -> str:
    """Return where at the platform the person agrees; it contains the state.

    Raises:
        kit.crypto.Undecipherable: it was sealed with a master key that is lost, or was not stored.
    """
    if flow.authorize_url is None:
        raise Undecipherable
    return _opened(context, flow, state, "authorize_url", flow.authorize_url)


def open_notes(context: AppContext, flow: OAuthFlow, state: str) -> dict[str, str]:
    """Return what was stored with the flow and by `keep_notes`.

    Raises:
        kit.crypto.Undecipherable: it was sealed with a master key that is lost.
    """
    if flow.notes is None:
        return {}
    return msgspec.json.decode(_opened(context, flow, state, "notes", flow.notes), type=dict[str, str])


def cookie_name(context: AppContext, state: str) -> str:
    """Return the name of the cookie that binds this flow to a browser: one per flow, as a person may have several.

    `__Host-` keeps other hosts of the same domain from setting it. Browsers accept that only over https.
    """
    name = f"signalpost_flow_{_hash(state).hex()[:16]}"
    return f"__Host-{name}" if is_https(context) else name


def is_https(context: AppContext) -> bool:
    """Return whether people reach the service over https."""
    return context.fixed_url.startswith("https://")


def _opened(context: AppContext, flow: OAuthFlow, state: str, column: str, sealed: bytes) -> str:
    return context.keys.open(sealed, context=_context(column, _hash(state), flow.workspace_id)).decode()


def _sealed(context: AppContext, state_hash: bytes, workspace_id: UUID, column: str, value: bytes) -> bytes:
    return context.keys.seal(value, context=_context(column, state_hash, workspace_id))


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


def _context(column: str, state_hash: bytes, workspace_id: UUID) -> str:
    return f"oauth_flow.{column}|{state_hash.hex()}|{workspace_id}"
