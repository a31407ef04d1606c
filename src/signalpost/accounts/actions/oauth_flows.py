"""The rows of authorization flows: a state that works once within ten minutes, and the PKCE verifier, sealed."""

import base64
import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from msgspec import Struct

from signalpost.accounts.actions.connect_request import ConnectRequest
from signalpost.accounts.schemas import Via
from signalpost.context import AppContext
from signalpost.events import Actor
from signalpost.kit import crypto, rows
from signalpost.kit.db import Db

LIFETIME = timedelta(minutes=10)


class FlowStarter(Struct, frozen=True):
    """Who began a flow, and by which credential."""

    actor: Actor
    user_id: UUID
    key_id: UUID | None
    mode: Literal["live", "test"]
    via: Via


class OAuthFlow(Struct, frozen=True):
    """A flow that a person was sent to a platform for."""

    workspace_id: UUID
    profile_id: UUID
    platform: str
    account_id: UUID | None
    base_url: str
    redirect_url: str | None
    code_verifier: bytes
    started_by: FlowStarter


@dataclass(frozen=True, kw_only=True)
class FlowSecrets:
    """What a new flow needs: the state, and the verifier of its code challenge."""

    state: str
    code_verifier: str

    @classmethod
    def new(cls) -> "FlowSecrets":
        """Return random secrets."""
        return cls(state=crypto.random_token(), code_verifier=crypto.random_token())

    @property
    def code_challenge(self) -> str:
        """The S256 challenge of PKCE."""
        digest = hashlib.sha256(self.code_verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")


_INSERT = """
insert into oauth_flow (state_hash, workspace_id, profile_id, platform, account_id, base_url, redirect_url,
    code_verifier, started_by, created_at, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now(), now() + $10::interval)
returning expires_at
"""
# The first request that presents the state uses it up, whatever becomes of that request.
_USE = f"""
update oauth_flow set used_at = now()
where state_hash = $1 and platform = $2 and used_at is null and expires_at > now()
returning {rows.columns(OAuthFlow)}
"""  # noqa: S608 - constants only
_read = rows.reader(OAuthFlow)


async def insert_flow(
    context: AppContext,
    request: ConnectRequest,
    secrets: FlowSecrets,
    *,
    base_url: str,
    redirect_url: str | None,
    started_by: FlowStarter,
) -> datetime:
    """Store a flow in a transaction of its own; return when it expires."""
    state_hash = _hash(secrets.state)
    sealed = context.keys.seal(
        secrets.code_verifier.encode(), context=_verifier_context(state_hash, request.workspace_id)
    )
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
            sealed,
            started_by,
            LIFETIME,
        )
    return expires_at


async def use_flow(db: Db, platform: str, state: str) -> OAuthFlow | None:
    """Mark the flow as used and return it; None if the state is unknown, used, expired, or another platform's."""
    record = await db.fetchrow(_USE, _hash(state), platform)
    return None if record is None else _read(record)


def open_verifier(context: AppContext, flow: OAuthFlow, state: str) -> str:
    """Return the code verifier of a flow.

    Raises:
        kit.crypto.Undecipherable: it was sealed with a master key that is lost.
    """
    return context.keys.open(flow.code_verifier, context=_verifier_context(_hash(state), flow.workspace_id)).decode()


def _hash(state: str) -> bytes:
    return hashlib.sha256(state.encode("utf-8", "replace")).digest()


def _verifier_context(state_hash: bytes, workspace_id: UUID) -> str:
    return f"oauth_flow.code_verifier|{state_hash.hex()}|{workspace_id}"
