"""Reads of media. A caller limited to profiles sees their files, and of files without a profile only its own."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from signalpost.events import Actor
from signalpost.kit import rows
from signalpost.kit.db import READ_SECONDS, Db
from signalpost.media.file_types import MediaKind
from signalpost.media.schemas import MediaQuery, MediaStats
from signalpost.media.states import MediaStatus, UploadMethod
from signalpost.web.caller import Caller, Mode
from signalpost.web.paging import Page, keyset


class ProcessingError(Struct):
    """The JSON column `error`."""

    code: str
    message: str


class VariantDocument(Struct):
    """A member of the JSON column `variants`: another form of the file. `key` tells what it was made by."""

    key: str
    platform: str
    purpose: str
    storage_path: str
    mime_type: str
    size_bytes: int
    sha256: str
    width: int
    height: int
    video_codec: str | None = None  # None: that of the file
    audio_codec: str | None = None
    key_without_focal: str | None = None  # None: it was made before files had focal points


class FocalPoint(Struct):
    """The JSON column `focal_point`: what must not be cut off, 0 to 1 from the left and the top of the picture."""

    x: float
    y: float


class MediaRow(Struct):
    """A file. `sha256` and `size_bytes` are of the bytes as stored, which may differ from those sent.

    While it is `pending`, they are what was announced: `sha256` may be empty, and `size_bytes` is what is reserved.
    """

    id: UUID
    workspace_id: UUID
    mode: Mode
    profile_id: UUID | None
    kind: MediaKind
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
    status: MediaStatus
    error: ProcessingError | None
    created_by: Actor
    created_by_user_id: UUID | None
    created_at: datetime
    expires_at: datetime | None
    deleted_at: datetime | None
    upload_method: UploadMethod | None  # None: the bytes came with the request that made the row
    upload_bytes: int | None  # the announced size
    variants: list[VariantDocument] = []
    focal_point: FocalPoint | None = None  # None: the middle

    @property
    def focal(self) -> tuple[float, float] | None:
        """The focal point as connectors take it."""
        return None if self.focal_point is None else (self.focal_point.x, self.focal_point.y)


MEDIA_COLUMNS = rows.columns(MediaRow)
read_media = rows.reader(MediaRow)

_VISIBLE = """workspace_id = $1 and deleted_at is null and ($4 or mode = 'test')
    and ($2::uuid[] is null or profile_id = any($2)
        or (profile_id is null and $3::text in (created_by_user_id::text, created_by ->> 'id')))"""
_BY_IDS = f"select {MEDIA_COLUMNS} from media where {_VISIBLE} and id = any($5)"  # noqa: S608 - constants only
_BY_PATHS = f"select {MEDIA_COLUMNS} from media where {_VISIBLE} and storage_path = any($5)"  # noqa: S608
_LISTED = f"""
select {MEDIA_COLUMNS} from media
where {_VISIBLE} and ($5::uuid is null or profile_id = $5) and ($6::text is null or kind = $6)
    and ($7::text is null or strpos(lower(concat_ws(' ', file_name, alt_text)), lower($7)) > 0)
    and ($8::bool is null or (coalesce(alt_text, '') <> '') = $8)
    and {keyset("created_at", "id", first=9)}
"""  # noqa: S608 - constants only
_STATS = f"""
select count(*), coalesce(sum(size_bytes), 0)::bigint, count(*) filter (where kind in ('image', 'gif')),
    count(*) filter (where kind in ('image', 'gif') and alt_text <> '')
from media where {_VISIBLE} and ($5::uuid is null or profile_id = $5)
"""  # noqa: S608 - constants only
_FOR_PUBLISHING = f"""
select {MEDIA_COLUMNS} from media
where workspace_id = $1 and id = any($2) and (status = 'ready' or (status = 'deleted' and expires_at is not null))
"""  # noqa: S608 - constants only
_LOCK_READY = """
select id from media where workspace_id = $1 and id = any($2) and status = 'ready' order by id for share
"""
_ATTACHED = f"select {MEDIA_COLUMNS} from media where id = any($1) and status = 'ready'"  # noqa: S608 - constants only
_WITH_BYTES = f"""
select {MEDIA_COLUMNS} from media where id = $1 and (status <> 'deleted' or expires_at is not null)
"""  # noqa: S608 - constants only


_EXISTS = f"select exists (select from media where {_VISIBLE} and id = $5 and (mode = 'live') = $4)"  # noqa: S608


def _visible_to(caller: Caller) -> tuple[UUID, list[UUID] | None, str, bool]:
    """Return the parameters of `_VISIBLE`: with a test key, live files do not exist."""
    return caller.workspace_id, caller.sees_profiles, caller.uploader, caller.mode == "live"


async def visible(db: Db, caller: Caller, media_ids: Sequence[UUID]) -> dict[UUID, MediaRow]:
    """Return those of the files that the caller may see and that are not deleted. Usable ones have status `ready`."""
    if not media_ids:
        return {}
    records = await db.fetch(_BY_IDS, *_visible_to(caller), media_ids)
    return {record["id"]: read_media(record) for record in records}


async def find_mine(db: Db, caller: Caller, media_id: UUID) -> MediaRow | None:
    """Return the file, or None if the caller may not see it or it is deleted."""
    return (await visible(db, caller, [media_id])).get(media_id)


async def find_upload(db: Db, caller: Caller, media_id: UUID) -> MediaRow | None:
    """Return the file if its bytes arrive in several requests, or have; None also if they can arrive no more."""
    row = await find_mine(db, caller, media_id)
    return row if row is not None and row.upload_method == "resumable" and row.status != "failed" else None


async def by_storage_paths(db: Db, caller: Caller, paths: Sequence[str]) -> dict[str, MediaRow]:
    """Return the visible files stored under these paths, by path."""
    if not paths:
        return {}
    records = await db.fetch(_BY_PATHS, *_visible_to(caller), paths)
    return {record["storage_path"]: read_media(record) for record in records}


async def listed(db: Db, caller: Caller, query: MediaQuery, page: Page) -> list[MediaRow]:
    """Return a page of the files that the caller may see, newest first."""
    filters = (query.profile_id, query.kind, query.q or None, query.described)
    records = await db.fetch(_LISTED, *_visible_to(caller), *filters, *page.bounds, timeout=READ_SECONDS)
    return [read_media(record) for record in records]


async def stats(db: Db, caller: Caller, profile_id: UUID | None) -> MediaStats:
    """Count the files that the caller may see."""
    record = await db.fetchrow(_STATS, *_visible_to(caller), profile_id, timeout=READ_SECONDS)
    return MediaStats(*record) if record is not None else MediaStats(0, 0, 0, 0)


async def for_publishing(db: Db, workspace_id: UUID, media_ids: Sequence[UUID]) -> dict[UUID, MediaRow]:
    """Return those of the files whose bytes exist, including deleted ones while their bytes are kept."""
    records = await db.fetch(_FOR_PUBLISHING, workspace_id, media_ids) if media_ids else []
    return {record["id"]: read_media(record) for record in records}


async def lock_ready(db: Db, workspace_id: UUID, media_ids: Sequence[UUID]) -> list[UUID]:
    """Return those of the files that can be used; nobody deletes them before the end of the transaction."""
    return [record["id"] for record in await db.fetch(_LOCK_READY, workspace_id, media_ids)]


async def media_exists(
    db: Db, workspace_id: UUID, media_id: UUID, *, profile_ids: Sequence[UUID] | None, uploader: str, live: bool
) -> bool:
    """Whether a file of this mode exists that a caller limited to these profiles may see; None means every profile."""
    return bool(await db.fetchval(_EXISTS, workspace_id, profile_ids, uploader, live, media_id))


async def attached(db: Db, media_ids: Sequence[UUID]) -> dict[UUID, MediaRow]:
    """Return those of the files that exist, whoever owns them: who may see them follows from what they are attached to.

    As everywhere, the connection sees the files of one workspace only, unless it works across workspaces.
    """
    return {record["id"]: read_media(record) for record in await db.fetch(_ATTACHED, media_ids)}


async def with_bytes(db: Db, media_id: UUID) -> MediaRow | None:
    """Return a file whose content may be served. Access was checked when its URL was signed."""
    return await rows.read_one(db, read_media, _WITH_BYTES, media_id)
