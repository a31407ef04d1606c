"""Reads of posts. A caller sees its workspace, the profiles it is limited to, and under a test key only test posts."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from operator import itemgetter
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from signalpost.context import MediaUse
from signalpost.kit import ids, rows
from signalpost.kit.db import Db
from signalpost.kit.db import Row as Record
from signalpost.posts import views
from signalpost.posts.holds import OVER_LIMIT
from signalpost.posts.rows import PostRow, TargetRow
from signalpost.posts.views import StoredPost
from signalpost.profiles.errors import profile_archived
from signalpost.web.caller import Caller


class ConnectedAccount(Struct):
    """An account of a profile, as far as a post needs it. `digest`: of all this, for `prepare_post`."""

    id: UUID
    platform: str
    username: str
    facts: dict[str, Any]
    over_limit: bool
    digest: int
    status: str


class ProfileWithAccounts(Struct):
    """A profile with those of its connected accounts that were asked for, oldest first.

    `now` is the database's clock, by which targets are due. `digest`: of the profile, for `prepare_post`. `heard`: a
    subscriber acts on post.queued.
    """

    now: datetime
    timezone: str
    zone_chosen: bool
    approval_required: bool
    over_limit: bool
    archived: bool
    default_utm: dict[str, str | None] | None
    digest: int
    heard: bool
    accounts: list[ConnectedAccount]

    def require_in_use(self) -> None:
        """Ensure that posts may be written for the profile.

        Raises:
            ProfileArchived: it is archived.
        """
        if self.archived:
            raise profile_archived()


POST_COLUMNS: Final = rows.columns(PostRow, "p")
read_post: Final = rows.reader(PostRow)
_PAUSED_UNTIL: Final = """case when t.next_attempt_at <= now() then (
    select l.not_before from lane l where l.kind = 'target' and l.key = t.account_id and l.owner is null
        and l.not_before > now() + interval '2 seconds') end"""
"""Until when the network of a due target keeps its account waiting; shorter pauses are not shown."""
# Of what is over, the plan is not asked: most targets are.
_STATUS_OF_ACCOUNT: Final = f"""
case when t.status in ('pending', 'retrying') and a.status in ('active', 'expiring')
    and (a.over_limit or exists (select from profile f where f.id = a.profile_id and f.over_limit))
    then '{OVER_LIMIT}' else a.status end
"""
# A test post is published by the clock of its sandbox: as long after its scheduled time as it was after it was due.
PUBLISHED_AT: Final = """
case when t.platform = 'sandbox' and t.published_at is not null then t.published_at + coalesce((
    select greatest(coalesce(t.scheduled_at, tested.scheduled_at) - t.due_at, interval '0')
    from post tested where tested.id = t.post_id and tested.mode = 'test'), interval '0') else t.published_at end
"""
_OF_ACCOUNT: Final = {"username": "a.username", "account_status": _STATUS_OF_ACCOUNT}
_TARGET_COLUMNS: Final = rows.columns(
    TargetRow, "t", **_OF_ACCOUNT, paused_until=_PAUSED_UNTIL, published_at=PUBLISHED_AT
)
_read_target: Final = rows.reader(TargetRow)

# `is not distinct from` is a condition of no index: with `=`, PostgreSQL may look for the id among all posts of the
# workspace in `post_listing`, as long as it knows nothing of the table or most workspaces have few posts.
_THIS_POST = "p.id = $1 and p.workspace_id is not distinct from $2"
_FIND = f"""
select {POST_COLUMNS} from post p
where {_THIS_POST} and ($3::uuid[] is null or p.profile_id = any($3)) and ($4 or p.mode = 'test')
"""  # noqa: S608 - constants only
_TARGETS = f"""
select {_TARGET_COLUMNS} from target t join account a on a.id = t.account_id where t.post_id = any($1)
order by t.post_id, t.position
"""  # noqa: S608 - constants only


async def find_any(db: Db, caller: Caller, post_id: UUID) -> PostRow | None:
    """Return the post if this caller may see it, in the trash or not."""
    return await rows.read_one(
        db, read_post, _FIND, post_id, caller.workspace_id, caller.sees_profiles, caller.mode == "live"
    )


async def find_mine(db: Db, caller: Caller, post_id: UUID) -> PostRow | None:
    """Return the post if this caller may see it and it is not in the trash."""
    post = await find_any(db, caller, post_id)
    return None if post is None or post.deleted_at is not None else post


async def why_absent(db: Db, caller: Caller, post_id: UUID) -> str | None:
    """Return where a post is that `find_mine` does not return, if this caller may know."""
    post = await find_any(db, caller, post_id)
    if post is None or post.deleted_at is None:
        return None
    name = ids.encode("pst", post_id)
    return f"The post {name} is in the trash. POST /posts/{name}/restore brings it back."


async def targets_of(db: Db, post_ids: Sequence[UUID]) -> list[TargetRow]:
    """Return the targets of these posts, in order."""
    return [_read_target(record) for record in await db.fetch(_TARGETS, post_ids)] if post_ids else []


async def targets_by_post(db: Db, post_ids: Sequence[UUID]) -> dict[UUID, list[TargetRow]]:
    """Return the targets of each of these posts, in order."""
    by_post: dict[UUID, list[TargetRow]] = {post_id: [] for post_id in post_ids}
    for target in await targets_of(db, post_ids):
        by_post[target.post_id].append(target)
    return by_post


# --- posts with their targets, as clients see them ------------------------------------------------------------------
# One statement returns both: first the posts, then all their targets, in one shape of row. A join would repeat the long
# row of the post for each target, and takes more time than two statements.

_NO_POST = ", ".join(["null"] * (len(views.POST_COLUMNS) - 1))
_NO_TARGET = ", ".join(["null"] * len(views.TARGET_COLUMNS))
STORED_POST = rows.view_columns(PostRow, "p", views.POST_COLUMNS)
_PAUSED_MICROS, _PUBLISHED_MICROS = (
    f"(date_part('epoch', {instant}) * 1000000)::int8" for instant in (_PAUSED_UNTIL, PUBLISHED_AT)
)
_STORED_TARGET = rows.view_columns(
    TargetRow, "t", views.TARGET_COLUMNS, **_OF_ACCOUNT, paused_until=_PAUSED_MICROS, published_at=_PUBLISHED_MICROS
)
_READ = f"""
select {STORED_POST}, {_NO_TARGET}, p.xmin from post p
where {_THIS_POST} and ($3::uuid[] is null or p.profile_id = any($3)) and ($4 or p.mode = 'test')
    and p.deleted_at is null
union all
select t.post_id, {_NO_POST}, {_STORED_TARGET}, t.xmin from target t join account a on a.id = t.account_id
where t.post_id = $1
"""  # noqa: S608 - constants only


def with_targets(page: str, limit: int) -> str:
    """Return a statement that reads the posts of the statement `page`, and the targets of the first `limit` ones."""
    return f"""
with page as ({page})
select page.*, {_NO_TARGET} from page
union all
select t.post_id, {_NO_POST}, {_STORED_TARGET} from target t join account a on a.id = t.account_id
where t.post_id = any(array(select id from page limit {limit}))
"""  # noqa: S608 - constants and a number


def group_targets(records: Iterable[Record]) -> list[StoredPost]:
    """Return the posts in their order, each with its targets in theirs."""
    size, end = len(views.POST_COLUMNS), len(views.POST_COLUMNS) + len(views.TARGET_COLUMNS)
    by_post: dict[UUID, StoredPost] = {}
    for record in records:
        post_id, target_id = record[0], record[size]
        if target_id is None:
            by_post[post_id] = StoredPost(record[:size], [])
        elif (post := by_post.get(post_id)) is not None:
            post.targets.append(record[size:end])
    for post in by_post.values():
        post.targets.sort(key=itemgetter(views.POSITION))
    return list(by_post.values())


async def read_mine(db: Db, caller: Caller, post_id: UUID) -> StoredPost | None:
    """Return the post with its targets if this caller may see it and it is not in the trash."""
    records = await db.fetch(_READ, post_id, caller.workspace_id, caller.sees_profiles, caller.mode == "live")
    posts = group_targets(records)
    return posts[0]._replace(row_versions=[record[-1] for record in records]) if posts else None


# --- locks: lanes first, then posts, then targets, each in the order of their ids -----------------------------------
# So do workers, who hold a lane while they write its targets; any other order could end in a deadlock.

_LOCK = f"select {POST_COLUMNS} from post p where p.id = $1 for no key update"  # noqa: S608 - constants only
_LOCK_ALL = f"select {POST_COLUMNS} from post p where p.id = any($1) order by p.id for no key update"  # noqa: S608
_LOCK_TARGETS = "select id from target where post_id = $1 order by id for no key update"
_LOCK_LANES = "select from lane where kind = 'target' and key = any($1) order by key for no key update"
_LOCK_PROFILE_LANES = """
select from lane where kind = 'target' and key in (select id from account where profile_id = $1)
order by key for no key update
"""


async def lock(db: Db, post_id: UUID, account_ids: Iterable[UUID]) -> tuple[PostRow, list[TargetRow]] | None:
    """Lock the lanes of these accounts, the post and its targets; return them as they are now. None: it was deleted."""
    await lock_lanes(db, list(account_ids))
    record = await db.fetchrow(_LOCK, post_id)
    if record is None:
        return None
    await db.execute(_LOCK_TARGETS, post_id)
    return read_post(record), await targets_of(db, [post_id])


async def lock_lanes(db: Db, account_ids: Sequence[UUID]) -> None:
    """Lock the lanes of these accounts: no worker begins or ends an attempt there meanwhile."""
    await db.execute(_LOCK_LANES, account_ids)


async def lock_profile_lanes(db: Db, profile_id: UUID) -> None:
    """Lock the lanes of all accounts of a profile."""
    await db.execute(_LOCK_PROFILE_LANES, profile_id)


async def lock_all(db: Db, post_ids: Sequence[UUID]) -> list[PostRow]:
    """Lock these posts, and return them as they are now. The lanes of their targets must be locked already."""
    return [read_post(record) for record in await db.fetch(_LOCK_ALL, post_ids)] if post_ids else []


async def lock_post_only(db: Db, post_id: UUID) -> PostRow | None:
    """Lock the post but leave its targets to the workers; return it as it is now. None: it was deleted."""
    return await rows.read_one(db, read_post, _LOCK, post_id)


# The bound of 10 is a safety net: chains hold at most three links.
_CHAIN = """
with recursive chain (profile_id, source_post_id, source, posts) as (
    select profile_id, source_post_id, source, 1 from post where id = $1 and workspace_id = $2
    union all
    select p.profile_id, p.source_post_id, p.source, c.posts + 1 from post p join chain c on p.id = c.source_post_id
    where c.posts < 10 and p.workspace_id = $2
)
select array_agg(profile_id), count(*) filter (where source = 'link') from chain
"""


async def chain_of(db: Db, post: PostRow) -> tuple[set[UUID], int]:
    """Return the profiles through which links passed this post on, its own included, and how many links did."""
    record = await db.fetchrow(_CHAIN, post.id, post.workspace_id)
    return (set(record[0] or ()), record[1]) if record is not None else (set(), 0)


async def find_settled(db: Db, workspace_id: UUID, post_id: UUID) -> PostRow | None:
    """Return a post whose workspace is known from its event; None: it was deleted meanwhile, or is in the trash."""
    record = await db.fetchrow(_FIND, post_id, workspace_id, None, True)  # noqa: FBT003 - $4
    post = None if record is None else read_post(record)
    return None if post is None or post.deleted_at is not None else post


# --- what a post is checked against ---------------------------------------------------------------------------------


@cache
def _profile(heard: str, chosen: str, which: str = "p.id = $1") -> str:
    return f"""
    select now(), p.timezone, p.zone_chosen, p.approval_required, p.over_limit, p.archived_at is not null,
        p.default_utm, profile_digest(p), {heard},
        a.id, a.platform, a.username, a.facts, a.over_limit, account_digest(a), a.status, p.id
    from profile p left join account a on a.profile_id = p.id and a.status <> 'disconnected' and {chosen}
    where {which} and p.workspace_id = $2 and p.deleted_at is null
    order by a.created_at, a.id
    """  # noqa: S608 - constants only


# A subquery hides the length of the array from the planner, which would otherwise plan each call.
_BY_ID = "a.id = any(array(select unnest($3::uuid[])))"
_BY_PLATFORM = "a.platform = any(array(select unnest($3::text[])))"
_BY_ID_OR_PLATFORM = f"({_BY_ID} or $4::text[] is null or a.platform = any(array(select unnest($4::text[]))))"
_OF_MANY = "p.id = any(array(select unnest($1::uuid[])))"
_SHARE_PROFILE = "select pg_advisory_xact_lock_shared(profile_lock($1))"
_SHARE_PROFILES = """
select pg_advisory_xact_lock_shared(profile_lock(p.id)) from (select unnest($1::uuid[]) as id order by 1) p
"""
_TAKE_PROFILE = "select pg_advisory_xact_lock(profile_lock($1))"
_TAKE_PROFILE_OF = "select pg_advisory_xact_lock(profile_lock(profile_id)) from account where id = $1"
_USES = "select media_id, posts, waiting, live from media_uses($1, $2)"  # in the migrations


async def profile_with_accounts(
    db: Db,
    caller: Caller,
    profile_id: UUID,
    *,
    account_ids: Sequence[UUID] = (),
    platforms: Sequence[str] | None = None,
    heard: str = "false",
) -> ProfileWithAccounts | None:
    """Return the profile, if the caller may see it, with these of its accounts, or with those on these platforms.

    `heard`: what `AppContext.heard_sql` says of a post that is queued; SQL over the profile `p`.
    """
    if not caller.may_see_profile(profile_id):
        return None
    by_platform = platforms is not None
    statement = _profile(heard, _BY_PLATFORM if by_platform else _BY_ID)
    records = await db.fetch(statement, profile_id, caller.workspace_id, platforms if by_platform else account_ids)
    return _with_accounts(records) if records else None


async def profiles_with_accounts(
    db: Db,
    caller: Caller,
    profile_ids: Iterable[UUID],
    *,
    account_ids: Sequence[UUID],
    platforms: Sequence[str] | None,
    heard: str = "false",
) -> dict[UUID, ProfileWithAccounts]:
    """Return those of the profiles that the caller may see, by id.

    Each comes with these of its accounts and with those on these platforms; None: with all of them.
    """
    visible = [profile_id for profile_id in profile_ids if caller.may_see_profile(profile_id)]
    records_of: dict[UUID, list[Record]] = {}
    for record in await db.fetch(
        _profile(heard, _BY_ID_OR_PLATFORM, _OF_MANY), visible, caller.workspace_id, account_ids, platforms
    ):
        records_of.setdefault(record[16], []).append(record)
    return {profile_id: _with_accounts(records) for profile_id, records in records_of.items()}


def _with_accounts(records: Sequence[Record]) -> ProfileWithAccounts:
    accounts = [ConnectedAccount(*record[9:16]) for record in records if record[9] is not None]
    now, timezone, zone_chosen, approval_required, over_limit, archived, utm, digest, is_heard = records[0][:9]
    return ProfileWithAccounts(
        now, timezone, zone_chosen, approval_required, over_limit, archived, utm, digest, is_heard, accounts
    )


async def share_profiles(db: Db, profile_ids: Sequence[UUID]) -> None:
    """Do what `share_profile` does with several profiles."""
    await db.execute(_SHARE_PROFILES, profile_ids)


async def share_profile(db: Db, profile_id: UUID) -> None:
    """Have whoever deletes the profile, or disconnects one of its accounts, wait for the end of this transaction."""
    await db.execute(_SHARE_PROFILE, profile_id)


async def take_profile(db: Db, profile_id: UUID) -> None:
    """Wait for those who write posts of the profile; others wait for the end of this transaction."""
    await db.execute(_TAKE_PROFILE, profile_id)


async def take_profile_of(db: Db, account_id: UUID) -> None:
    """Do the same with the profile of an account."""
    await db.execute(_TAKE_PROFILE_OF, account_id)


async def media_uses(db: Db, workspace_id: UUID, media_ids: Sequence[UUID]) -> dict[UUID, MediaUse]:
    """Return how many posts use each of these files. Not only queued posts count as waiting, but drafts too."""
    return {record[0]: MediaUse(*record[1:]) for record in await db.fetch(_USES, workspace_id, media_ids)}
