"""Reads of profiles. Every statement takes $1 = workspace and $2 = whether live accounts count (test keys: no)."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from signalpost.kit.db import Db, Row
from signalpost.web.caller import Caller
from signalpost.web.inputs import Page


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A profile that is not deleted, with the numbers it is shown with."""

    id: UUID
    workspace_id: UUID
    name: str
    slug: str
    avatar_url: str | None
    description: str | None
    color: str | None
    timezone: str
    language: str | None
    default_hashtags: list[str]
    watermark_media_id: UUID | None
    late_tolerance_minutes: int
    min_gap_seconds: int
    approval_required: bool
    external_id: str | None
    metadata: dict[str, str]
    is_default: bool
    over_limit: bool
    version: int
    created_at: datetime
    updated_at: datetime
    parent_id: UUID | None
    child_count: int
    account_count: int


_SELECT = """
select p.id, p.workspace_id, p.name, p.slug, p.avatar_url, p.description, p.color, p.timezone, p.language,
    p.default_hashtags, p.watermark_media_id, p.late_tolerance_minutes, p.min_gap_seconds, p.approval_required,
    p.external_id, p.metadata, p.is_default, p.over_limit, p.version, p.created_at, p.updated_at,
    (select l.parent_profile_id from profile_link l where l.child_profile_id = p.id and l.deleted_at is null),
    (select count(*) from profile_link l where l.parent_profile_id = p.id and l.deleted_at is null),
    (select count(*) from account a
     where a.profile_id = p.id and a.status <> 'disconnected' and ($2 or a.platform = 'sandbox'))
from profile p
where p.workspace_id = $1 and p.deleted_at is null
"""
_BY_ID = _SELECT + "and p.id = $3"
_LOCK = _BY_ID + " for no key update of p"
_BY_IDS = _SELECT + "and p.id = any($3)"
_VISIBLE = (
    _SELECT
    + """
and ($3::uuid[] is null or p.id = any($3)) and ($4::timestamptz is null or (p.created_at, p.id) < ($4, $5))
order by p.created_at desc, p.id desc limit $6
"""
)


async def find_mine(db: Db, caller: Caller, profile_id: UUID) -> ProfileRow | None:
    """Return the profile if this caller may see it."""
    if not caller.may_see_profile(profile_id):
        return None
    return _row(await db.fetchrow(_BY_ID, caller.workspace_id, caller.mode == "live", profile_id))


async def by_id(db: Db, workspace_id: UUID, profile_id: UUID) -> ProfileRow | None:
    """Return the profile, for work that runs without a caller."""
    return _row(await db.fetchrow(_BY_ID, workspace_id, True, profile_id))  # noqa: FBT003 - $2


async def lock(db: Db, caller: Caller, profile_id: UUID) -> ProfileRow | None:
    """Return the profile as it is now, and keep others from changing it until the transaction ends."""
    return _row(await db.fetchrow(_LOCK, caller.workspace_id, caller.mode == "live", profile_id))


async def by_ids(db: Db, caller: Caller, profile_ids: list[UUID]) -> dict[UUID, ProfileRow]:
    """Return those of the profiles that this caller may see, by id."""
    wanted = [profile_id for profile_id in profile_ids if caller.may_see_profile(profile_id)]
    rows = await db.fetch(_BY_IDS, caller.workspace_id, caller.mode == "live", wanted)
    return {row["id"]: ProfileRow(*row) for row in rows}


async def visible(db: Db, caller: Caller, page: Page) -> list[ProfileRow]:
    """Return the caller's profiles, newest first."""
    rows = await db.fetch(
        _VISIBLE,
        caller.workspace_id,
        caller.mode == "live",
        caller.sees_profiles,
        page.after_at,
        page.after_id,
        page.fetch,
    )
    return [ProfileRow(*row) for row in rows]


def _row(row: Row | None) -> ProfileRow | None:
    return None if row is None else ProfileRow(*row)
