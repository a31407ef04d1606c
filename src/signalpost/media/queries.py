"""Reads of media. A caller limited to profiles sees their files, and of those without a profile only its own."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from signalpost.kit.db import Db, Row
from signalpost.web.caller import Caller
from signalpost.web.paging import Page

COLUMNS = """id, workspace_id, profile_id, kind, file_name, mime_type, size_bytes, sha256, width, height, duration_ms,
    fps, video_codec, audio_codec, storage_path, thumbnail_path, alt_text, status, error, created_by_user_id,
    created_at, expires_at, deleted_at"""
"""In the order of `MediaRow`."""

_SEEN = """workspace_id = $1 and deleted_at is null
    and ($2::uuid[] is null or profile_id = any($2) or (profile_id is null and created_by_user_id = $3))"""


class MediaRow(Struct):
    """One stored file. `sha256` and `size_bytes` are of the bytes as stored, which may differ from those sent."""

    id: UUID
    workspace_id: UUID
    profile_id: UUID | None
    kind: str
    file_name: str
    mime_type: str
    size_bytes: int
    sha256: bytes
    width: int | None
    height: int | None
    duration_ms: int | None
    fps: float | None
    video_codec: str | None
    audio_codec: str | None
    storage_path: str
    thumbnail_path: str | None
    alt_text: str | None
    status: str
    error: dict[str, Any] | None
    created_by_user_id: UUID | None
    created_at: datetime
    expires_at: datetime | None
    deleted_at: datetime | None


def row_of(record: Row) -> MediaRow:
    """Return the struct of a record selected by `COLUMNS`."""
    return MediaRow(*record)


def _seen_by(caller: Caller) -> tuple[UUID, list[UUID] | None, UUID]:
    return caller.workspace_id, caller.sees_profiles, caller.user_id


_VISIBLE = f"select {COLUMNS} from media where {_SEEN} and id = any($4)"  # noqa: S608 - constants only


async def visible(db: Db, caller: Caller, ids: Sequence[UUID]) -> dict[UUID, MediaRow]:
    """Return those of `ids` that the caller may see; deleted ones are missing. Usable ones have status `ready`."""
    if not ids:
        return {}
    rows = await db.fetch(_VISIBLE, *_seen_by(caller), ids)
    return {row["id"]: row_of(row) for row in rows}


async def find_mine(db: Db, caller: Caller, media_id: UUID) -> MediaRow | None:
    """Return the row, or None when the caller may not see it or it is deleted."""
    return (await visible(db, caller, [media_id])).get(media_id)


_BY_PATHS = f"select {COLUMNS} from media where {_SEEN} and storage_path = any($4)"  # noqa: S608 - constants only


async def by_storage_paths(db: Db, caller: Caller, paths: Sequence[str]) -> dict[str, MediaRow]:
    """Return the visible media stored under these paths, by path."""
    if not paths:
        return {}
    rows = await db.fetch(_BY_PATHS, *_seen_by(caller), paths)
    return {row["storage_path"]: row_of(row) for row in rows}


_FOR_PUBLISHING = f"""
select {COLUMNS} from media
where workspace_id = $1 and id = any($2) and (status = 'ready' or (status = 'deleted' and expires_at is not null))
"""  # noqa: S608 - constants only


async def for_publishing(db: Db, workspace_id: UUID, ids: Sequence[UUID]) -> dict[UUID, MediaRow]:
    """Return those of `ids` whose bytes are there: also deleted ones for as long as their bytes are kept."""
    rows = await db.fetch(_FOR_PUBLISHING, workspace_id, ids) if ids else []
    return {row["id"]: row_of(row) for row in rows}


_LISTED = f"""
select {COLUMNS} from media
where {_SEEN} and ($4::uuid is null or profile_id = $4) and ($5::text is null or kind = $5)
    and ($6::timestamptz is null or (created_at, id) < ($6, $7))
order by created_at desc, id desc
limit $8
"""  # noqa: S608 - constants only


async def listed(db: Db, caller: Caller, page: Page, *, profile_id: UUID | None, kind: str | None) -> list[MediaRow]:
    """Return one page of visible media, newest first, and one row more when there are more."""
    rows = await db.fetch(_LISTED, *_seen_by(caller), profile_id, kind, page.after_at, page.after_id, page.fetch)
    return [row_of(row) for row in rows]


_WITH_BYTES = f"select {COLUMNS} from media where id = $1 and (status <> 'deleted' or expires_at is not null)"  # noqa: S608


async def with_bytes(db: Db, media_id: UUID) -> MediaRow | None:
    """Return the row whose content may be served; whose it is was judged when its address was signed."""
    row = await db.fetchrow(_WITH_BYTES, media_id)
    return row_of(row) if row else None


_PROFILE = "select true from profile where id = $1 and workspace_id = $2 and deleted_at is null"


async def profile_exists(db: Db, caller: Caller, profile_id: UUID) -> bool:
    """Whether there is such a profile for this caller."""
    return caller.may_see_profile(profile_id) and bool(await db.fetchval(_PROFILE, profile_id, caller.workspace_id))
