"""Reads of saved replies: texts that a team answers with again and again. They are live: a test key sees none."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.kit import rows
from signalpost.kit.db import Db
from signalpost.web.caller import Caller
from signalpost.web.paging import Page, keyset


class SavedReplyRow(Struct, frozen=True):
    """A saved reply as it is stored; without a profile it is for all of them."""

    id: UUID
    workspace_id: UUID
    profile_id: UUID | None
    name: str
    text: str
    created_at: datetime
    updated_at: datetime


_SELECT: Final = f"""
select {rows.columns(SavedReplyRow, "s")} from saved_reply s
left join profile p on p.id = s.profile_id and p.workspace_id = s.workspace_id
"""  # noqa: S608 - constants only
_SEEN: Final = """s.workspace_id = $1 and ($2::uuid[] is null or s.profile_id is null or s.profile_id = any($2))
    and p.deleted_at is null"""
_MINE: Final = f"{_SELECT} where {_SEEN} and s.id = $3"
_VISIBLE: Final = f"""{_SELECT} where {_SEEN} and ($3::uuid is null or s.profile_id is null or s.profile_id = $3)
    and {keyset("s.created_at", "s.id", first=4)}
"""
_COUNT: Final = "select count(*) from saved_reply where workspace_id = $1"
_read: Final = rows.reader(SavedReplyRow)


async def find_mine(db: Db, caller: Caller, reply_id: UUID) -> SavedReplyRow | None:
    """Return the saved reply if this caller may see it."""
    if caller.mode != "live":
        return None
    record = await db.fetchrow(_MINE, caller.workspace_id, caller.sees_profiles, reply_id)
    return None if record is None else _read(record)


async def visible(db: Db, caller: Caller, profile_id: UUID | None, page: Page) -> Sequence[SavedReplyRow]:
    """Return those for a profile, with those for all, the newest first; None: all that the caller sees."""
    if caller.mode != "live":
        return []
    records = await db.fetch(_VISIBLE, caller.workspace_id, caller.sees_profiles, profile_id, *page.bounds)
    return [_read(record) for record in records]


async def count(db: Db, workspace_id: UUID) -> int:
    """Return how many a workspace has, those of deleted profiles included."""
    number: int = await db.fetchval(_COUNT, workspace_id)
    return number
