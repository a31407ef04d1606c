"""Reads of snippets: those of the profiles that a caller sees, and those for all. A test key sees none of them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.events import Actor
from signalpost.kit import rows
from signalpost.kit.db import Db
from signalpost.web.caller import Caller
from signalpost.web.paging import Page, keyset


class SnippetRow(Struct, frozen=True):
    """A snippet as it is stored; without a profile it is for all of them."""

    id: UUID
    workspace_id: UUID
    profile_id: UUID | None
    name: str
    text: str
    created_by: Actor
    created_at: datetime
    updated_at: datetime
    version: int = 1


_SELECT: Final = f"""
select {rows.columns(SnippetRow, "s")} from snippet s
left join profile p on p.id = s.profile_id and p.workspace_id = s.workspace_id
where s.workspace_id = $1 and p.deleted_at is null
"""  # noqa: S608 - constants only
_SEEN: Final = f"{_SELECT} and ($2::uuid[] is null or s.profile_id is null or s.profile_id = any($2))"
_MINE: Final = f"{_SEEN} and s.id = $3"
_LOCK: Final = f"{_SELECT} and s.id = $2 for no key update of s"
# At most some hundred rows: no index of words is worth its keep.
_VISIBLE: Final = f"""{_SEEN} and ($3::uuid is null or s.profile_id is null or s.profile_id = $3)
and ($4::text is null or position(lower($4) in lower(s.name)) > 0 or position(lower($4) in lower(s.text)) > 0)
and {keyset("s.created_at", "s.id", first=5)}
"""
_COUNT: Final = """
select count(*) from snippet s left join profile p on p.id = s.profile_id and p.workspace_id = s.workspace_id
where s.workspace_id = $1 and p.deleted_at is null
"""
_read: Final = rows.reader(SnippetRow)


async def find_mine(db: Db, caller: Caller, snippet_id: UUID) -> SnippetRow | None:
    """Return the snippet if this caller may see it."""
    if caller.mode != "live":
        return None
    return await rows.read_one(db, _read, _MINE, caller.workspace_id, caller.sees_profiles, snippet_id)


async def lock(db: Db, workspace_id: UUID, snippet_id: UUID) -> SnippetRow | None:
    """Return the snippet, and keep others from changing it until the transaction ends."""
    return await rows.read_one(db, _read, _LOCK, workspace_id, snippet_id)


async def visible(
    db: Db, caller: Caller, profile_id: UUID | None, words: str | None, page: Page
) -> Sequence[SnippetRow]:
    """Return those of a profile, with those for all, the newest first; None: all that the caller sees."""
    if caller.mode != "live":
        return []
    records = await db.fetch(
        _VISIBLE, caller.workspace_id, caller.sees_profiles, profile_id, words, *page.bounds
    )  # fmt: skip
    return [_read(record) for record in records]


async def count(db: Db, workspace_id: UUID) -> int:
    """Return how many a workspace has, without those of deleted profiles."""
    number: int = await db.fetchval(_COUNT, workspace_id)
    return number
