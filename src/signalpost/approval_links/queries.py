"""Reads of links. A row never carries the token: only its hash is stored."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.events import Actor
from signalpost.kit import rows
from signalpost.kit.db import Db
from signalpost.web.caller import Caller, Mode
from signalpost.web.paging import Page, keyset


class ApprovalLinkRow(Struct, frozen=True):
    """A link. `scopes` and `profile_ids`: what its maker could do when they made it."""

    id: UUID
    workspace_id: UUID
    profile_id: UUID
    token_hash: bytes
    mode: Mode
    post_ids: list[UUID]
    email: str | None
    message: str | None
    scopes: list[str]
    profile_ids: list[UUID] | None
    user_id: UUID
    key_id: UUID | None
    created_by: Actor
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None
    last_opened_at: datetime | None = None
    code_hash: bytes | None = None
    code_expires_at: datetime | None = None
    code_tries: int = 0
    profile_deleted: bool = False
    profile_name: str = ""
    profile_color: str | None = None
    profile_avatar_url: str | None = None
    profile_avatar_media_id: UUID | None = None
    workspace_name: str = ""


COMPUTED: Final = (
    "profile_deleted", "profile_name", "profile_color", "profile_avatar_url", "profile_avatar_media_id",
    "workspace_name",
)  # fmt: skip
"""Fields of an `ApprovalLinkRow` that are not columns of the table."""
_read: Final = rows.reader(ApprovalLinkRow)
_COLUMNS: Final = rows.columns(
    ApprovalLinkRow,
    "l",
    profile_deleted="p.deleted_at is not null",
    profile_name="p.name",
    profile_color="p.color",
    profile_avatar_url="p.avatar_url",
    profile_avatar_media_id="p.avatar_media_id",
    workspace_name="w.name",
)
_SELECT: Final = f"""
select {_COLUMNS}
from approval_link l join profile p on p.id = l.profile_id and p.workspace_id = l.workspace_id
join workspace w on w.id = l.workspace_id
"""  # noqa: S608 - constants only
_SEEN: Final = "l.workspace_id = $1 and ($2 or l.mode = 'test') and ($3::uuid[] is null or l.profile_id = any($3))"
_MINE: Final = f"{_SELECT} where {_SEEN} and l.id = $4"
_VISIBLE: Final = f"""{_SELECT}
where {_SEEN} and ($4::uuid is null or $4 = any(l.post_ids)) and ($5::uuid is null or l.profile_id = $5)
    and {keyset("l.created_at", "l.id", first=6)}
"""
_BY_TOKEN: Final = f"{_SELECT} where l.token_hash = $1"
_OPEN: Final = (
    "select count(*) from approval_link where workspace_id = $1 and revoked_at is null and expires_at > now()"
)
_LOCK: Final = f"{_SELECT} where l.workspace_id = $1 and l.id = $2 for share of l"


def _visible_to(caller: Caller) -> tuple[UUID, bool, list[UUID] | None]:
    return caller.workspace_id, caller.mode == "live", caller.sees_profiles


async def find_mine(db: Db, caller: Caller, link_id: UUID) -> ApprovalLinkRow | None:
    """Return the link if this caller may see it; ended ones too."""
    return await rows.read_one(db, _read, _MINE, *_visible_to(caller), link_id)


async def visible(
    db: Db, caller: Caller, page: Page, *, post_id: UUID | None, profile_id: UUID | None
) -> Sequence[ApprovalLinkRow]:
    """Return the links of the caller's workspace, newest first; ended ones too."""
    return await rows.read_all(db, _read, _VISIBLE, *_visible_to(caller), post_id, profile_id, *page.bounds)


async def by_token(db: Db, token: str) -> ApprovalLinkRow | None:
    """Return the link with this token, of whatever workspace; None too if its profile was deleted."""
    row = await rows.read_one(db, _read, _BY_TOKEN, hash_of(token))
    return None if row is None or row.profile_deleted else row


async def lock(db: Db, link: ApprovalLinkRow) -> ApprovalLinkRow | None:
    """Return the link as it is now, and keep it so until the transaction ends."""
    return await rows.read_one(db, _read, _LOCK, link.workspace_id, link.id)


async def count_open(db: Db, workspace_id: UUID) -> int:
    """Return how many links of the workspace work."""
    count: int = await db.fetchval(_OPEN, workspace_id)
    return count


def hash_of(token: str) -> bytes:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
