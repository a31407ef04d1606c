"""Lists and figures: what a query string asks for, and the reads that answer it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost import networks
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db, Row
from signalpost.kit.wire import Listing
from signalpost.posts import queries, times
from signalpost.posts.queries import PostRow, TargetRow
from signalpost.posts.schemas.requests import PostListQuery, ProfileQuery
from signalpost.posts.schemas.responses import AuditEntry, DayCounts, NextPost, PlatformCounts, Post, PostStats
from signalpost.posts.states import POST_STATUSES
from signalpost.posts.times import InvalidTime
from signalpost.web.caller import Caller
from signalpost.web.paging import Page

_FORMS: Final = {"profileId": "prof", "accountId": "acc", "fanoutId": "job"}


async def list_posts(db: Db, caller: Caller, query: PostListQuery, page: Page) -> Listing[Post]:
    """Return one page of posts.

    Raises:
        ValidationFailed: a filter that nothing can match.
        NotFound: there is no such profile.
    """
    platform = networks.canonical(query.platform) if query.platform else None
    if query.platform and platform is None:
        raise problems.invalid("platform", "not_allowed", "There is no such platform.", known=list(networks.PLATFORMS))
    filters = Filters(
        profile_id=_id("profileId", query.profile_id), status=query.status, platform=platform,
        account_id=_id("accountId", query.account_id), since=_instant("from", query.from_),
        until=_instant("to", query.to), q=query.q, tag=query.tag, external_id=query.external_id,
        fanout_id=_id("fanoutId", query.fanout_id), sort=query.sort,
    )  # fmt: skip
    posts, positions = await visible(db, caller, page, filters)
    if not posts:
        await _require_profile(db, caller, filters.profile_id)
    return page.listing(posts, positions)


async def list_trash(db: Db, caller: Caller, query: ProfileQuery, page: Page) -> Listing[Post]:
    """Return posts in the trash.

    Raises:
        NotFound: there is no such profile.
    """
    profile_id = _id("profileId", query.profile_id)
    posts, positions = await trashed(db, caller, page, profile_id)
    if not posts:
        await _require_profile(db, caller, profile_id)
    return page.listing(posts, positions)


async def post_stats(db: Db, caller: Caller, query: ProfileQuery) -> PostStats:
    """Return the figures of the workspace, or of one profile.

    Raises:
        NotFound: there is no such profile.
    """
    profile_id = _id("profileId", query.profile_id)
    await _require_profile(db, caller, profile_id)
    return await stats(db, caller, profile_id)


async def list_audit(db: Db, row: PostRow, page: Page) -> Listing[AuditEntry]:
    """Return the history of a post."""
    return page.listing(*await history(db, row, page))


async def _require_profile(db: Db, caller: Caller, profile_id: UUID | None) -> None:
    if profile_id is not None and not await queries.profile_exists(db, caller, profile_id):
        raise problems.NotFound("There is no such profile.")


def _id(name: str, text: str | None) -> UUID | None:
    if text is None:
        return None
    found = ids.decode(_FORMS[name], text)
    if found is None:
        raise problems.invalid(name, "format", f"{name} looks like {_FORMS[name]}_ and 26 characters.")
    return found


def _instant(name: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    moment = times.read(text, "UTC", name)
    if isinstance(moment, InvalidTime):
        raise problems.ValidationFailed(moment.issue.message, errors=[moment.issue])
    return moment.at


# --- lists ---------------------------------------------------------------------------------------------------------

_MOMENT = "coalesce(p.scheduled_at, p.published_at, p.created_at)"
_FILTERED = f"""
select {queries.POST}, {{key}} from post p
where p.workspace_id = $1 and ($2::uuid[] is null or p.profile_id = any($2)) and ($3 or p.mode = 'test')
    and p.deleted_at is null
    and ($4::uuid is null or p.profile_id = $4)
    and ($5::text is null or case
        when p.status = 'scheduled' and p.scheduled_at <= $16 and p.approval ->> 'state' in ('not_required', 'approved')
        then 'queued' else p.status end = $5)
    and ($6::text is null or exists (select from target t where t.post_id = p.id and t.platform = $6))
    and ($7::uuid is null or exists (select from target t where t.post_id = p.id and t.account_id = $7))
    and ($8::timestamptz is null or {_MOMENT} >= $8) and ($9::timestamptz is null or {_MOMENT} < $9)
    and ($10::text is null or strpos(lower(concat_ws(' ', p.title, p.text)), lower($10)) > 0)
    and ($11::text is null or $11 = any(p.tags))
    and ($12::text is null or p.external_id = $12)
    and ($13::uuid is null or p.fanout_id = $13)
    and ({{key}}, p.id) {{beyond}}
order by {{key}} {{way}}, p.id {{way}}
limit $17
"""  # noqa: S608 - constants only
# Sentinels rather than "is null or": so the position is a bound of the index scan also in a generic plan.
_BEFORE = "< (coalesce($14::timestamptz, 'infinity'), coalesce($15::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))"
_AFTER = "> (coalesce($14::timestamptz, '-infinity'), coalesce($15::uuid, '00000000-0000-0000-0000-000000000000'))"
_LISTS = {
    "-createdAt": _FILTERED.format(key="p.created_at", beyond=_BEFORE, way="desc"),
    "createdAt": _FILTERED.format(key="p.created_at", beyond=_AFTER, way="asc"),
    "-scheduledAt": _FILTERED.format(key=_MOMENT, beyond=_BEFORE, way="desc"),
    "scheduledAt": _FILTERED.format(key=_MOMENT, beyond=_AFTER, way="asc"),
}
_TRASH = f"""
select {queries.POST} from post p
where p.workspace_id = $1 and ($2::uuid[] is null or p.profile_id = any($2)) and ($3 or p.mode = 'test')
    and p.deleted_at is not null and ($4::uuid is null or p.profile_id = $4)
    and (p.deleted_at, p.id) {_BEFORE.replace("$14", "$5").replace("$15", "$6")}
order by p.deleted_at desc, p.id desc
limit $7
"""  # noqa: S608 - constants only


class Filters(Struct, kw_only=True):
    """What a list of posts is narrowed to; None: not at all."""

    profile_id: UUID | None = None
    status: str | None = None
    platform: str | None = None
    account_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    q: str | None = None
    tag: str | None = None
    external_id: str | None = None
    fanout_id: UUID | None = None
    sort: str = "-createdAt"


async def visible(db: Db, caller: Caller, page: Page, query: Filters) -> tuple[list[Post], list[tuple[datetime, UUID]]]:
    """Return posts that are not in the trash, with the position of each in the list."""
    rows = await db.fetch(
        _LISTS[query.sort], caller.workspace_id, caller.sees_profiles, caller.mode == "live", query.profile_id,
        query.status, query.platform, query.account_id, query.since, query.until, query.q, query.tag, query.external_id,
        query.fanout_id, page.after_at, page.after_id, clock.now(), page.fetch,
    )  # fmt: skip
    posts = [PostRow(*row[:-1]) for row in rows[: page.limit]]
    return await _with_targets(db, posts), [(row[-1], row[0]) for row in rows]


async def trashed(
    db: Db, caller: Caller, page: Page, profile_id: UUID | None
) -> tuple[list[Post], list[tuple[datetime, UUID]]]:
    """Return posts in the trash, the last trashed first."""
    rows = await db.fetch(
        _TRASH, caller.workspace_id, caller.sees_profiles, caller.mode == "live", profile_id, page.after_at,
        page.after_id, page.fetch,
    )  # fmt: skip
    posts = [PostRow(*row) for row in rows]
    shown = await _with_targets(db, posts[: page.limit])
    return shown, [(post.deleted_at or post.created_at, post.id) for post in posts]


async def _with_targets(db: Db, posts: Sequence[PostRow]) -> list[Post]:
    by_post: dict[UUID, list[TargetRow]] = {post.id: [] for post in posts}
    for target in await queries.targets_of(db, list(by_post)):
        by_post[target.post_id].append(target)
    return [queries.shape(post, by_post[post.id]) for post in posts]


_AUDIT = """
select id, at, action, actor, target_id, changes, attempt, request_id from audit
where workspace_id = $1 and post_id = $2
    and (at, id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
order by at desc, id desc limit $5
"""


async def history(db: Db, row: PostRow, page: Page) -> tuple[list[AuditEntry], list[tuple[datetime, UUID]]]:
    """Return the post's audit log, newest first."""
    rows = await db.fetch(_AUDIT, row.workspace_id, row.id, page.after_at, page.after_id, page.fetch)
    return [_entry(found) for found in rows], [(found["at"], found["id"]) for found in rows]


def _entry(row: Row) -> AuditEntry:
    return AuditEntry(
        ids.encode("aud", row["id"]), clock.wire(row["at"]), row["action"], row["actor"],
        ids.encode_or_none("tgt", row["target_id"]), row["changes"], row["attempt"], row["request_id"],
    )  # fmt: skip


# --- figures -------------------------------------------------------------------------------------------------------

_SEEN = """
p.workspace_id = $1 and ($2::uuid[] is null or p.profile_id = any($2)) and ($3 or p.mode = 'test')
    and ($4::uuid is null or p.profile_id = $4)
"""
_BY_STATUS = f"""
select case when p.deleted_at is not null then 'trashed'
    when p.status = 'scheduled' and p.scheduled_at <= $5 and p.approval ->> 'state' in ('not_required', 'approved')
    then 'queued' else p.status end, count(*)
from post p where {_SEEN} group by 1
"""  # noqa: S608 - constants only
_BY_PLATFORM = f"""
select t.platform, count(*) filter (where t.status in ('published', 'removed')),
    count(*) filter (where t.status = 'failed')
from post p join target t on t.post_id = p.id
where {_SEEN} and p.deleted_at is null and t.status in ('published', 'removed', 'failed')
group by 1 order by 1
"""  # noqa: S608 - constants only
_BY_DAY = f"""
select (e.at at time zone 'UTC')::date, count(*) filter (where t.status <> 'failed'),
    count(*) filter (where t.status = 'failed')
from post p join target t on t.post_id = p.id cross join lateral (
    select coalesce(t.published_at, (t.error ->> 'occurredAt')::timestamptz, t.updated_at) as at
) e
where {_SEEN} and p.deleted_at is null and t.status in ('published', 'removed', 'failed') and e.at >= $5
group by 1
"""  # noqa: S608 - constants only
_NEXT = f"""
select p.id, p.scheduled_at from post p
where {_SEEN} and p.deleted_at is null and p.status = 'scheduled' and p.scheduled_at > $5
order by p.scheduled_at, p.id limit 1
"""  # noqa: S608 - constants only


async def stats(db: Db, caller: Caller, profile_id: UUID | None) -> PostStats:
    """Return how many posts there are in which state, and how their targets ended."""
    seen = (caller.workspace_id, caller.sees_profiles, caller.mode == "live", profile_id)
    now = clock.now()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    by_status: dict[str, int] = {row[0]: row[1] for row in await db.fetch(_BY_STATUS, *seen, now)}
    trash = by_status.pop("trashed", 0)
    by_platform = {row[0]: PlatformCounts(row[1], row[2]) for row in await db.fetch(_BY_PLATFORM, *seen)}
    days = [midnight - clock.seconds(86_400) * back for back in range(6, -1, -1)]
    ended = {row[0]: row for row in await db.fetch(_BY_DAY, *seen, days[0])}
    upcoming = await db.fetchrow(_NEXT, *seen, now)
    published = sum(platform.published for platform in by_platform.values())
    failed = sum(platform.failed for platform in by_platform.values())
    return PostStats(
        ids.encode_or_none("prof", profile_id),
        sum(by_status.values()),
        {status: by_status.get(status, 0) for status in POST_STATUSES},
        by_platform,
        round(published / (published + failed), 4) if published + failed else None,
        [_day(day, ended.get(day.date())) for day in days],
        None if upcoming is None else NextPost(ids.encode("pst", upcoming[0]), clock.wire(upcoming[1])),
        trash,
    )


def _day(day: datetime, row: Row | None) -> DayCounts:
    return DayCounts(day.date().isoformat(), row[1] if row else 0, row[2] if row else 0)
