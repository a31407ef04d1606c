"""Reads of links. A row carries its token only where a mail needs it, and sealed; else its hash alone is stored."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from signalpost.events import Actor
from signalpost.kit import rows
from signalpost.kit.crypto import SealedColumn
from signalpost.kit.db import Db
from signalpost.report_links.schemas import Language
from signalpost.web.caller import Caller, Mode
from signalpost.web.paging import Page, keyset


class ReportLinkRow(Struct, frozen=True):
    """A link. `scopes` and `profile_ids`: what its maker could do when they made it."""

    id: UUID
    workspace_id: UUID
    profile_id: UUID
    token_hash: bytes
    mode: Mode
    language: Language
    scopes: list[str]
    user_id: UUID
    created_by: Actor
    created_at: datetime
    profile_ids: list[UUID] | None = None
    key_id: UUID | None = None
    email: str | None = None
    sealed_token: bytes | None = None
    next_mail_at: datetime | None = None
    last_opened_at: datetime | None = None
    profile_name: str = ""
    profile_timezone: str = "UTC"
    profile_color: str | None = None
    profile_avatar_url: str | None = None
    profile_avatar_media_id: UUID | None = None
    workspace_name: str = ""


COMPUTED: Final = (
    "profile_name", "profile_timezone", "profile_color", "profile_avatar_url", "profile_avatar_media_id",
    "workspace_name",
)  # fmt: skip
"""Fields of a `ReportLinkRow` that are not columns of the table."""
_read: Final = rows.reader(ReportLinkRow)
_COLUMNS: Final = rows.columns(
    ReportLinkRow,
    "l",
    profile_name="p.name",
    profile_timezone="p.timezone",
    profile_color="p.color",
    profile_avatar_url="p.avatar_url",
    profile_avatar_media_id="p.avatar_media_id",
    workspace_name="w.name",
)
_SELECT: Final = f"""
select {_COLUMNS}
from report_link l join profile p on p.id = l.profile_id and p.workspace_id = l.workspace_id and p.deleted_at is null
join workspace w on w.id = l.workspace_id
"""  # noqa: S608 - constants only
_SEEN: Final = """l.workspace_id = $1 and ($2 or l.mode = 'test') and ($3 or l.user_id = $4)
    and ($5::uuid[] is null or l.profile_id = any($5))"""
_MINE: Final = f"{_SELECT} where {_SEEN} and l.id = $6"
_VISIBLE: Final = f"""{_SELECT}
where {_SEEN} and ($6::uuid is null or l.profile_id = $6) and {keyset("l.created_at", "l.id", first=7)}
"""
_BY_TOKEN: Final = f"{_SELECT} where l.token_hash = $1"
_DUE: Final = f"{_SELECT} where l.next_mail_at <= now() order by l.next_mail_at limit 1 for update of l skip locked"
_COUNT: Final = "select count(*) from report_link where workspace_id = $1"


def _visible_to(caller: Caller, *, all_makers: bool) -> tuple[Any, ...]:
    return caller.workspace_id, caller.mode == "live", all_makers, caller.user_id, caller.sees_profiles


async def find_mine(db: Db, caller: Caller, link_id: UUID, *, all_makers: bool) -> ReportLinkRow | None:
    """Return the link if this caller made it; or, with `all_makers`, if they may see what it shows."""
    return await rows.read_one(db, _read, _MINE, *_visible_to(caller, all_makers=all_makers), link_id)


async def visible(
    db: Db, caller: Caller, page: Page, *, all_makers: bool, profile_id: UUID | None
) -> Sequence[ReportLinkRow]:
    """Return links of the caller's workspace, newest first."""
    values = (*_visible_to(caller, all_makers=all_makers), profile_id, *page.bounds)
    return await rows.read_all(db, _read, _VISIBLE, *values)


async def by_token(db: Db, token: str) -> ReportLinkRow | None:
    """Return the link with this token, of whatever workspace."""
    return await rows.read_one(db, _read, _BY_TOKEN, hash_of(token))


async def lock_due(db: Db) -> ReportLinkRow | None:
    """Return the link whose mail has been due longest, and keep it from others meanwhile."""
    return await rows.read_one(db, _read, _DUE)


async def count(db: Db, workspace_id: UUID) -> int:
    """Return how many links the workspace has."""
    total: int = await db.fetchval(_COUNT, workspace_id)
    return total


def hash_of(token: str) -> bytes:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()


def sealed_as(link_id: UUID) -> str:
    """Return the place for which the token of a link is sealed."""
    return f"report_link|{link_id}"


SEALED: Final = SealedColumn("report_link", {"id": "uuid"}, "sealed_token", lambda row: sealed_as(row["id"]))
