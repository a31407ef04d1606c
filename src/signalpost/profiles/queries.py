"""Reads of profiles. Every statement takes $1 = workspace and $2 = whether live accounts count (test keys: no)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from signalpost.kit import clock, ids
from signalpost.kit.db import Db, Row
from signalpost.profiles.schemas import Child, LatePolicy, LinkHistory, LinkRules, Profile, ProfileLink
from signalpost.web.caller import Caller
from signalpost.web.paging import Page


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

    def shown(self) -> Profile:
        """Return the profile as the API answers it."""
        return Profile(
            id=ids.encode("prof", self.id),
            workspace_id=ids.encode("wsp", self.workspace_id),
            name=self.name,
            slug=self.slug,
            avatar_url=self.avatar_url,
            description=self.description,
            color=self.color,
            timezone=self.timezone,
            language=self.language,
            default_hashtags=self.default_hashtags,
            watermark_media_id=ids.encode_or_none("med", self.watermark_media_id),
            late_policy=LatePolicy(self.late_tolerance_minutes, self.min_gap_seconds),
            approval_required=self.approval_required,
            parent_id=ids.encode_or_none("prof", self.parent_id),
            child_count=self.child_count,
            account_count=self.account_count,
            external_id=self.external_id,
            metadata=self.metadata,
            is_default=self.is_default,
            over_limit=self.over_limit,
            version=self.version,
            created_at=clock.wire(self.created_at),
            updated_at=clock.wire(self.updated_at),
        )


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A link that is not removed."""

    id: UUID
    parent_profile_id: UUID
    child_profile_id: UUID
    rules: dict[str, Any]
    active: bool
    created_by: dict[str, Any]
    created_at: datetime
    updated_at: datetime

    def shown(self) -> ProfileLink:
        """Return the link as the API answers it."""
        return ProfileLink(
            id=ids.encode("lnk", self.id),
            parent_profile_id=ids.encode("prof", self.parent_profile_id),
            child_profile_id=ids.encode("prof", self.child_profile_id),
            rules=msgspec.convert(self.rules, LinkRules),
            active=self.active,
            created_by=self.created_by,
            created_at=clock.wire(self.created_at),
            updated_at=clock.wire(self.updated_at),
        )


_ONE_AT_A_TIME = "select pg_advisory_xact_lock(hashtextextended('profiles:' || $1::text, 0))"
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
_LOCK = _BY_ID + " for update of p"
_LOCK_SHARED = _BY_ID + " for share of p"
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


async def lock(db: Db, caller: Caller, profile_id: UUID) -> ProfileRow | None:
    """Return the profile as it is now, and keep others from changing it until the transaction ends."""
    return _row(await db.fetchrow(_LOCK, caller.workspace_id, caller.mode == "live", profile_id))


async def lock_shared(db: Db, workspace_id: UUID, profile_id: UUID) -> ProfileRow | None:
    """Return the profile, and keep it from being deleted until something is hung on it in this transaction."""
    return _row(await db.fetchrow(_LOCK_SHARED, workspace_id, True, profile_id))  # noqa: FBT003 - $2


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


async def one_at_a_time(db: Db, workspace_id: UUID) -> None:
    """Be the only one who makes or ends profiles and links of this workspace, until the transaction ends."""
    await db.execute(_ONE_AT_A_TIME, str(workspace_id))


_LINK = """
select l.id, l.parent_profile_id, l.child_profile_id, l.rules, l.active, l.created_by, l.created_at, l.updated_at
from profile_link l
where l.workspace_id = $1 and l.deleted_at is null
and ($2::uuid[] is null or (l.parent_profile_id = any($2) and l.child_profile_id = any($2)))
"""
_NEWEST_FIRST = """
and ($3::timestamptz is null or (l.created_at, l.id) < ($3, $4)) order by l.created_at desc, l.id desc limit $5
"""
_LINK_BY_ID = _LINK + "and l.id = $3"
_LINKS = _LINK + _NEWEST_FIRST
_CHILDREN = _LINK + "and l.parent_profile_id = $6 " + _NEWEST_FIRST
_HISTORY = """
select id, link_id, action, parent_profile_id, child_profile_id, source_post_id, created_post_id, reason, actor,
    created_at
from profile_link_history
where workspace_id = $1 and ($2::uuid[] is null or (parent_profile_id = any($2) and child_profile_id = any($2)))
and ($3::timestamptz is null or (created_at, id) < ($3, $4)) order by created_at desc, id desc limit $5
"""


async def find_my_link(db: Db, caller: Caller, link_id: UUID) -> LinkRow | None:
    """Return the link if this caller may see both of its profiles."""
    row = await db.fetchrow(_LINK_BY_ID, caller.workspace_id, caller.sees_profiles, link_id)
    return None if row is None else LinkRow(*row)


async def links(db: Db, caller: Caller, page: Page) -> list[LinkRow]:
    """Return the links between profiles that this caller may see, newest first."""
    rows = await db.fetch(_LINKS, *_window(caller, page))
    return [LinkRow(*row) for row in rows]


async def children(db: Db, caller: Caller, parent_id: UUID, page: Page) -> list[tuple[LinkRow, ProfileRow]]:
    """Return the profile's links to children with those children, the newest link first."""
    found = [LinkRow(*row) for row in await db.fetch(_CHILDREN, *_window(caller, page), parent_id)]
    profiles = await by_ids(db, caller, [link.child_profile_id for link in found])
    return [(link, profiles[link.child_profile_id]) for link in found if link.child_profile_id in profiles]


async def history(db: Db, caller: Caller, page: Page) -> list[Row]:
    """Return what happened to links, newest first; see `shown_history`."""
    return await db.fetch(_HISTORY, *_window(caller, page))


def shown_child(link: LinkRow, profile: ProfileRow) -> Child:
    """Return a child as the API answers it."""
    return Child(profile=profile.shown(), link=link.shown())


def shown_history(row: Row) -> LinkHistory:
    """Return an entry of the history as the API answers it."""
    return LinkHistory(
        id=ids.encode("lnh", row["id"]),
        link_id=ids.encode("lnk", row["link_id"]),
        action=row["action"],
        parent_profile_id=ids.encode("prof", row["parent_profile_id"]),
        child_profile_id=ids.encode("prof", row["child_profile_id"]),
        source_post_id=ids.encode_or_none("pst", row["source_post_id"]),
        created_post_id=ids.encode_or_none("pst", row["created_post_id"]),
        reason=row["reason"],
        actor=row["actor"],
        created_at=clock.wire(row["created_at"]),
    )


def _window(caller: Caller, page: Page) -> tuple[Any, ...]:
    return caller.workspace_id, caller.sees_profiles, page.after_at, page.after_id, page.fetch


def _row(row: Row | None) -> ProfileRow | None:
    return None if row is None else ProfileRow(*row)


_EXISTS = "select exists (select from profile where id = $1 and workspace_id = $2 and deleted_at is null)"


async def profile_exists(db: Db, workspace_id: UUID, profile_id: UUID) -> bool:
    """Whether the workspace has this profile."""
    return bool(await db.fetchval(_EXISTS, profile_id, workspace_id))
