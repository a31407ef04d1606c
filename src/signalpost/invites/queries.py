"""Reads of invitations. A row never carries the token: only its hash is stored."""

import hashlib
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from signalpost.events import Actor
from signalpost.identity.queries import tenant_sql
from signalpost.invites.states import State
from signalpost.kit import rows
from signalpost.kit.db import Db
from signalpost.web.caller import Caller, Mode
from signalpost.web.paging import Page, keyset


class BrandingRow(Struct, frozen=True):
    """How the page of an invitation looks, as it is stored."""

    name: str | None
    logo_url: str | None
    color: str | None
    hide_powered_by: bool


class ConnectionRow(Struct, frozen=True):
    """What a guest has connected, as it is stored."""

    account_id: UUID
    platform: str
    username: str
    at: datetime


class InviteRow(Struct, frozen=True):
    """An invitation. `status` is the stored one: `states.present` knows the time and the profile."""

    id: UUID
    workspace_id: UUID
    profile_id: UUID
    token_hash: bytes
    mode: Mode
    platforms: list[str]
    label: str | None
    email: str | None
    message: str | None
    redirect_url: str | None
    branding: BrandingRow | None
    language: str | None
    max_connections: int
    status: State
    created_by: Actor
    user_id: UUID
    key_id: UUID | None
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None
    last_opened_at: datetime | None = None
    connections: list[ConnectionRow] = []
    profile_deleted: bool = False
    profile_name: str = ""
    workspace_name: str = ""
    inviter_name: str | None = None


COMPUTED = ("profile_deleted", "profile_name", "workspace_name", "inviter_name")
"""Fields of an `InviteRow` that are not columns of the table."""
_read = rows.reader(InviteRow)
_COLUMNS = rows.columns(
    InviteRow,
    "i",
    profile_deleted="p.deleted_at is not null",
    profile_name="p.name",
    workspace_name="w.name",
    inviter_name="u.name",
)
_SELECT = f"""
select {_COLUMNS}
from platform_invite i join profile p on p.id = i.profile_id and p.workspace_id = i.workspace_id
join workspace w on w.id = i.workspace_id left join app_user u on u.id = i.user_id
"""  # noqa: S608 - constants only
_MINE = f"""{_SELECT}
where i.workspace_id = $1 and i.id = $2 and ($3 or i.mode = 'test') and ($4::uuid[] is null or i.profile_id = any($4))
"""
_VISIBLE = f"""{_SELECT}
where i.workspace_id = $1 and ($2 or i.mode = 'test') and ($3::uuid[] is null or i.profile_id = any($3))
and ($4::uuid is null or i.profile_id = $4) and {keyset("i.created_at", "i.id", first=5)}
"""
_BY_TOKEN = f"{_SELECT} where i.token_hash = $1"
_LOCK = f"{_SELECT} where i.workspace_id = $1 and i.id = $2 for no key update of i"
_TENANT = f"select {tenant_sql('$1')}"


async def find_mine(db: Db, caller: Caller, invite_id: UUID) -> InviteRow | None:
    """Return the invitation if this caller may see it; ended ones too."""
    live = caller.mode == "live"
    return await rows.read_one(db, _read, _MINE, caller.workspace_id, invite_id, live, caller.sees_profiles)


async def visible(db: Db, caller: Caller, profile_id: UUID | None, page: Page) -> list[InviteRow]:
    """Return the caller's invitations, newest first; ended ones too."""
    live = caller.mode == "live"
    return await rows.read_all(
        db, _read, _VISIBLE, caller.workspace_id, live, caller.sees_profiles, profile_id, *page.bounds
    )


async def by_token(db: Db, token: str) -> InviteRow | None:
    """Return the invitation that a guest's link names, of whatever workspace."""
    return await rows.read_one(db, _read, _BY_TOKEN, hash_of(token))


async def lock(db: Db, workspace_id: UUID, invite_id: UUID) -> InviteRow | None:
    """Return the current invitation and lock it against changes until the transaction ends."""
    return await rows.read_one(db, _read, _LOCK, workspace_id, invite_id)


async def tenant_of(db: Db, workspace_id: UUID) -> UUID:
    """Return the owner, with all of whose workspaces a guest's requests count."""
    tenant: UUID = await db.fetchval(_TENANT, workspace_id)
    return tenant


def hash_of(token: str) -> bytes:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
