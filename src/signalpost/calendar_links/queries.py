"""Reads of links. A row never carries the token: only its hash is stored."""

import hashlib
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from msgspec import Struct, field

from signalpost.calendar_links.schemas import Language
from signalpost.events import Actor
from signalpost.kit import rows
from signalpost.kit.db import Db, Row
from signalpost.posts.states import PostStatus
from signalpost.web.caller import Caller, Mode
from signalpost.web.paging import Page, keyset


class CalendarLinkRow(Struct, frozen=True):
    """A link. `scopes` and `profile_ids`: what its maker could do when they made it, or gave it another token."""

    id: UUID
    workspace_id: UUID
    name: str
    token_hash: bytes
    mode: Mode
    language: Language
    scopes: list[str]
    user_id: UUID
    created_by: Actor
    created_at: datetime
    rotated_at: datetime
    profile_id: UUID | None = None
    account_id: UUID | None = None
    tag: str | None = None
    campaign: str | None = None
    statuses: list[PostStatus] = field(default_factory=list)
    profile_ids: list[UUID] | None = None
    key_id: UUID | None = None
    last_read_at: datetime | None = None
    profile_deleted: bool = False
    profile_color: str | None = None


COMPUTED: Final = ("profile_deleted", "profile_color")
"""Fields of a `CalendarLinkRow` that are not columns of the table."""
_read: Final = rows.reader(CalendarLinkRow)
_COLUMNS: Final = rows.columns(
    CalendarLinkRow, "l", profile_deleted="p.deleted_at is not null", profile_color="p.color"
)
_SELECT: Final = f"""
select {_COLUMNS}
from calendar_link l left join profile p on p.id = l.profile_id and p.workspace_id = l.workspace_id
"""  # noqa: S608 - constants only
# Whoever is limited to some profiles sees the links of these; one without a profile shows those of its maker.
_SEEN: Final = """l.workspace_id = $1 and ($2 or l.mode = 'test') and ($3 or l.user_id = $4)
    and ($5::uuid[] is null or l.profile_id = any($5) or (l.profile_id is null and l.profile_ids <@ $5))
    and p.deleted_at is null"""
_MINE: Final = f"{_SELECT} where {_SEEN} and l.id = $6"
_VISIBLE: Final = f"""{_SELECT}
where {_SEEN} and ($6::uuid is null or l.profile_id = $6) and {keyset("l.created_at", "l.id", first=7)}
"""
_BY_TOKEN: Final = f"{_SELECT} where l.token_hash = $1"
_COUNT: Final = "select count(*) from calendar_link where workspace_id = $1"
_PROFILES: Final = "select id, name from profile where workspace_id = $1 and id = any($2)"


def _visible_to(caller: Caller, *, all_makers: bool) -> tuple[Any, ...]:
    return caller.workspace_id, caller.mode == "live", all_makers, caller.user_id, caller.sees_profiles


async def find_mine(db: Db, caller: Caller, link_id: UUID, *, all_makers: bool) -> CalendarLinkRow | None:
    """Return the link if this caller made it; or, with `all_makers`, if they may see what it shows."""
    return _row_or_none(await db.fetchrow(_MINE, *_visible_to(caller, all_makers=all_makers), link_id))


async def visible(
    db: Db, caller: Caller, page: Page, *, all_makers: bool, profile_id: UUID | None
) -> Sequence[CalendarLinkRow]:
    """Return links of the caller's workspace, newest first."""
    values = (*_visible_to(caller, all_makers=all_makers), profile_id, *page.bounds)
    return [_read(record) for record in await db.fetch(_VISIBLE, *values)]


async def by_token(db: Db, token: str) -> CalendarLinkRow | None:
    """Return the link with this token, of whatever workspace; None too if its profile was deleted."""
    row = _row_or_none(await db.fetchrow(_BY_TOKEN, hash_of(token)))
    return None if row is None or row.profile_deleted else row


async def count(db: Db, workspace_id: UUID) -> int:
    """Return how many links the workspace has."""
    total: int = await db.fetchval(_COUNT, workspace_id)
    return total


async def names_of_profiles(db: Db, workspace_id: UUID, profile_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return what these profiles are called."""
    records = await db.fetch(_PROFILES, workspace_id, list(profile_ids))
    return {record["id"]: record["name"] for record in records}


def hash_of(token: str) -> bytes:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()


def _row_or_none(record: Row | None) -> CalendarLinkRow | None:
    return None if record is None else _read(record)
