"""Reads of profiles and links. For a test key, live accounts and the profiles that have some do not exist.

$2 of profile statements: whether the caller is live.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

from msgspec import Struct

from signalpost.events import Actor
from signalpost.kit import rows
from signalpost.kit.db import Db
from signalpost.profiles.errors import profile_archived
from signalpost.web.caller import Caller
from signalpost.web.paging import Page, keyset

LATE_TOLERANCE_MINUTES = 720
MIN_GAP_SECONDS = 60


class UtmRow(Struct, frozen=True):
    """Campaign parameters for links, as they are stored."""

    source: str | None = None
    medium: str | None = None
    campaign: str | None = None
    term: str | None = None
    content: str | None = None


class ProfileRow(Struct, frozen=True):
    """A profile that is not deleted. The defaults are those of a new profile."""

    id: UUID
    workspace_id: UUID
    name: str
    slug: str
    timezone: str
    created_at: datetime
    updated_at: datetime
    zone_chosen: bool = False  # by a person; else it may be UTC because nobody did
    avatar_url: str | None = None
    avatar_media_id: UUID | None = None
    description: str | None = None
    color: str | None = None
    language: str | None = None
    default_hashtags: list[str] = []
    default_utm: UtmRow | None = None
    watermark_media_id: UUID | None = None
    late_tolerance_minutes: int = LATE_TOLERANCE_MINUTES
    min_gap_seconds: int = MIN_GAP_SECONDS
    gap_chosen: bool = False  # by a person: it is kept always; the default is for a backlog
    approval_required: bool = False
    external_id: str | None = None
    metadata: dict[str, str] = {}
    is_default: bool = False
    over_limit: bool = False
    archived_at: datetime | None = None
    version: int = 1
    parent_id: UUID | None = None
    child_count: int = 0
    account_count: int = 0


COMPUTED = ("parent_id", "child_count", "account_count")
"""Fields of a `ProfileRow` that are not columns of the table."""


class LinkRulesRow(Struct, frozen=True):
    """The rules of a link, as they are stored."""

    auto_repost: bool = True
    caption_prefix: str | None = None
    language_override: str | None = None
    platforms: list[str] | None = None
    delay_minutes: int = 0
    as_draft: bool = False


class LinkRow(Struct, frozen=True):
    """A link that is not removed."""

    id: UUID
    parent_profile_id: UUID
    child_profile_id: UUID
    rules: LinkRulesRow
    active: bool
    created_by: Actor
    created_at: datetime
    updated_at: datetime


class LinkHistoryRow(Struct, frozen=True):
    """Something that happened to a link."""

    id: UUID
    link_id: UUID
    action: Literal["linked", "rules_updated", "unlinked", "reposted", "repost_skipped", "repost_failed"]
    parent_profile_id: UUID
    child_profile_id: UUID
    source_post_id: UUID | None
    created_post_id: UUID | None
    reason: str | None
    actor: Actor
    created_at: datetime


_read_profile = rows.reader(ProfileRow)
read_link = rows.reader(LinkRow)
_read_history = rows.reader(LinkHistoryRow)


def _has_live_accounts(profile_id: str) -> str:
    return f"""exists (select from account a
        where a.profile_id = {profile_id} and a.platform <> 'sandbox' and a.status <> 'disconnected')"""


_PARENT_SHOWN = f"($2 or not {_has_live_accounts('l.parent_profile_id')})"
_CHILD_SHOWN = f"($2 or not {_has_live_accounts('l.child_profile_id')})"
_COLUMNS = rows.columns(
    ProfileRow,
    "p",
    parent_id=f"""(select l.parent_profile_id from profile_link l
        where l.child_profile_id = p.id and l.deleted_at is null and {_PARENT_SHOWN})""",  # noqa: S608 - constants only
    child_count=f"""(select count(*) from profile_link l
        where l.parent_profile_id = p.id and l.deleted_at is null and {_CHILD_SHOWN})""",  # noqa: S608 - constants only
    account_count="(select count(*) from account a where a.profile_id = p.id and a.status <> 'disconnected')",
)
_SELECT = f"select {_COLUMNS} from profile p where p.workspace_id = $1 and p.deleted_at is null "  # noqa: S608 - constants only
_SHOWN = f"{_SELECT} and ($2 or not {_has_live_accounts('p.id')}) "
_BY_ID = _SHOWN + "and p.id = $3"
_LOCK = _BY_ID + " for update of p"
_LOCK_SHARED = _SELECT + "and p.id = $3 for share of p"
_BY_IDS = _SHOWN + "and p.id = any($3)"
_VISIBLE = f"""{_SHOWN}
and ($3::uuid[] is null or p.id = any($3)) and ($4::boolean is null or $4 = (p.archived_at is not null))
and {keyset("p.created_at", "p.id", first=5)}
"""
_IS_ARCHIVED = """
select archived_at is not null from profile where id = $1 and workspace_id = $2 and deleted_at is null for share
"""
_LOCK_WORKSPACE = "select pg_advisory_xact_lock(hashtextextended('profiles:' || $1::text, 0))"
_EXISTS = "select exists (select from profile where id = $1 and workspace_id = $2 and deleted_at is null)"
_NAMED = "select id from profile where id = any($1) and workspace_id = $2 and deleted_at is null"
_IN_LIVE_USE = """
select exists (select from post where profile_id = $1 and mode = 'live' and deleted_at is null)
    or exists (select from post
        where workspace_id = $2 and profile_id = $1 and mode = 'live' and deleted_at is not null)
    or exists (select from media where workspace_id = $2 and profile_id = $1 and mode = 'live' and deleted_at is null)
    or exists (select from webhook
        where workspace_id = $2 and profile_ids @> array[$1] and mode = 'live' and deleted_at is null)
    or exists (select from api_key
        where workspace_id = $2 and profile_ids @> array[$1] and mode = 'live' and revoked_at is null)
"""


async def find_mine(db: Db, caller: Caller, profile_id: UUID) -> ProfileRow | None:
    """Return the profile if this caller may see it."""
    if not caller.may_see_profile(profile_id):
        return None
    return await rows.read_one(db, _read_profile, _BY_ID, caller.workspace_id, caller.mode == "live", profile_id)


async def lock(db: Db, caller: Caller, profile_id: UUID) -> ProfileRow | None:
    """Return the current profile and lock it against changes until the transaction ends."""
    return await rows.read_one(db, _read_profile, _LOCK, caller.workspace_id, caller.mode == "live", profile_id)


async def lock_shared(db: Db, workspace_id: UUID, profile_id: UUID) -> ProfileRow | None:
    """Return the profile and keep it from being deleted until the transaction ends."""
    return await rows.read_one(db, _read_profile, _LOCK_SHARED, workspace_id, True, profile_id)  # noqa: FBT003 - $2


async def by_ids(db: Db, caller: Caller, profile_ids: Sequence[UUID]) -> dict[UUID, ProfileRow]:
    """Return those of the profiles that this caller may see, by id."""
    visible_ids = [profile_id for profile_id in profile_ids if caller.may_see_profile(profile_id)]
    records = await db.fetch(_BY_IDS, caller.workspace_id, caller.mode == "live", visible_ids)
    return {record["id"]: _read_profile(record) for record in records}


async def named(db: Db, caller: Caller, profile_ids: Sequence[UUID]) -> list[UUID]:
    """Return those of the ids that the caller may name for something of its own.

    A test key may name profiles that have live accounts too: what it makes belongs to their sandbox.
    """
    visible_ids = [profile_id for profile_id in profile_ids if caller.may_see_profile(profile_id)]
    existing = {record["id"] for record in await db.fetch(_NAMED, visible_ids, caller.workspace_id)}
    return [profile_id for profile_id in dict.fromkeys(visible_ids) if profile_id in existing]


async def in_live_use(db: Db, workspace_id: UUID, profile_id: UUID) -> bool:
    """Whether live posts, files, webhooks or keys hang on the profile. Accounts are not looked at."""
    return bool(await db.fetchval(_IN_LIVE_USE, profile_id, workspace_id))


async def visible(db: Db, caller: Caller, page: Page, *, archived: bool | None = None) -> list[ProfileRow]:
    """Return the caller's profiles, newest first; only archived ones, or only others, unless it is None."""
    seen = caller.workspace_id, caller.mode == "live", caller.sees_profiles
    return await rows.read_all(db, _read_profile, _VISIBLE, *seen, archived, *page.bounds)


async def require_in_use(db: Db, workspace_id: UUID, profile_id: UUID) -> None:
    """Keep the profile from being archived until the transaction ends, before anything of it is put on the queue.

    Raises:
        ProfileArchived: it is archived.
    """
    if await db.fetchval(_IS_ARCHIVED, profile_id, workspace_id):
        raise profile_archived()


async def lock_workspace(db: Db, workspace_id: UUID) -> None:
    """Serialize creating and deleting profiles and links of this workspace until the transaction ends."""
    await db.execute(_LOCK_WORKSPACE, str(workspace_id))


async def profile_exists(db: Db, workspace_id: UUID, profile_id: UUID) -> bool:
    """Whether the workspace has this profile."""
    return bool(await db.fetchval(_EXISTS, profile_id, workspace_id))


# $1 workspace, $2 the profiles that the caller is limited to, or null, $3 whether the caller is live
_ENDS_SHOWN = f"""($2::uuid[] is null or (l.parent_profile_id = any($2) and l.child_profile_id = any($2)))
and ($3 or not ({_has_live_accounts("l.parent_profile_id")} or {_has_live_accounts("l.child_profile_id")}))"""
_LINK = f"""
select {rows.columns(LinkRow, "l")} from profile_link l
where l.workspace_id = $1 and l.deleted_at is null and {_ENDS_SHOWN}
"""  # noqa: S608 - constants only
_LINK_BY_ID = f"{_LINK} and l.id = $4"
_LINKS = f"{_LINK} and {keyset('l.created_at', 'l.id', first=4)}"
_ACTIVE = f"{_LINK} and l.parent_profile_id = $4 and l.active order by l.created_at, l.id limit $5"
_CHILDREN = f"{_LINK} and l.parent_profile_id = $4 and {keyset('l.created_at', 'l.id', first=5)}"
_HISTORY = f"""
select {rows.columns(LinkHistoryRow, "l")} from profile_link_history l
where l.workspace_id = $1 and {_ENDS_SHOWN} and {keyset("l.created_at", "l.id", first=4)}
"""  # noqa: S608 - constants only


def _visible_to(caller: Caller) -> tuple[UUID, list[UUID] | None, bool]:
    """Return the first three parameters of the statements about links."""
    return caller.workspace_id, caller.sees_profiles, caller.mode == "live"


async def find_my_link(db: Db, caller: Caller, link_id: UUID) -> LinkRow | None:
    """Return the link if this caller may see both of its profiles."""
    return await rows.read_one(db, read_link, _LINK_BY_ID, *_visible_to(caller), link_id)


async def links(db: Db, caller: Caller, page: Page) -> list[LinkRow]:
    """Return the links between profiles that this caller may see, newest first."""
    return await rows.read_all(db, read_link, _LINKS, *_visible_to(caller), *page.bounds)


async def children(db: Db, caller: Caller, parent_id: UUID, page: Page) -> list[tuple[LinkRow, ProfileRow]]:
    """Return the profile's links to its children, each with the child, newest link first."""
    records = await db.fetch(_CHILDREN, *_visible_to(caller), parent_id, *page.bounds)
    child_links = [read_link(record) for record in records]
    profiles = await by_ids(db, caller, [link.child_profile_id for link in child_links])
    return [(link, profiles[link.child_profile_id]) for link in child_links if link.child_profile_id in profiles]


async def active_links(db: Db, caller: Caller, parent_id: UUID, limit: int) -> list[LinkRow]:
    """Return the profile's links to its children, oldest first."""
    return await rows.read_all(db, read_link, _ACTIVE, *_visible_to(caller), parent_id, limit)


# Both ask for rules by their stored names, as `LinkRulesRow` has them.
_PASSES_ON = "l.deleted_at is null and l.active and (l.rules ->> 'auto_repost')::boolean"
_PASSING_ON = f"""
select distinct l.parent_profile_id from profile_link l
join unnest($1::uuid[], $2::uuid[]) as w(workspace_id, parent_id)
    on w.parent_id = l.parent_profile_id and w.workspace_id = l.workspace_id
where {_PASSES_ON}
"""  # noqa: S608 - constants only
_TO_PASS_ON = f"""
select {rows.columns(LinkRow, "l")} from profile_link l
where l.workspace_id = $1 and l.parent_profile_id = $2 and {_PASSES_ON}
    and not exists (select from profile_link_history h where h.link_id = l.id and h.source_post_id = $3)
order by l.created_at, l.id limit $4
"""  # noqa: S608 - constants only


async def passing_on(db: Db, profiles: Collection[tuple[UUID, UUID]]) -> set[UUID]:
    """Return those of the profiles, each with its workspace first, of which a link passes posts on by itself."""
    workspaces, parents = zip(*profiles, strict=True)
    return {record[0] for record in await db.fetch(_PASSING_ON, workspaces, parents)}


async def links_to_pass_on(db: Db, workspace_id: UUID, parent_id: UUID, post_id: UUID, limit: int) -> list[LinkRow]:
    """Return links that pass posts of the profile on by themselves, and have not dealt with this one yet."""
    return await rows.read_all(db, read_link, _TO_PASS_ON, workspace_id, parent_id, post_id, limit)


async def history(db: Db, caller: Caller, page: Page) -> list[LinkHistoryRow]:
    """Return what happened to links, newest first."""
    return await rows.read_all(db, _read_history, _HISTORY, *_visible_to(caller), *page.bounds)


# The unique index compares small letters; some have two forms: the Greek sigma at the end of a word, the long s.
_NAME_IS_TAKEN = """
select exists (select from profile
    where workspace_id = $1 and deleted_at is null and id <> $2 and lower(upper(name)) = lower(upper($3)))
"""


async def name_is_taken(db: Db, row: ProfileRow) -> bool:
    """Whether another profile of the workspace has the name of this one, however its letters are written."""
    return bool(await db.fetchval(_NAME_IS_TAKEN, row.workspace_id, row.id, row.name))


_EXISTING = "select id from profile where workspace_id = $1 and id = any($2) and deleted_at is null"


async def existing_profiles(db: Db, caller: Caller, profile_ids: Sequence[UUID]) -> set[UUID]:
    """Return those of the ids that are profiles the caller may see."""
    rows = await db.fetch(_EXISTING, caller.workspace_id, profile_ids)
    return {row["id"] for row in rows if caller.may_see_profile(row["id"])}
