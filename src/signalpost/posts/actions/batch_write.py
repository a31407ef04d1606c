"""Writing many posts: one statement that looks what is in the way, and one that writes. Both in a transaction."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final
from uuid import UUID

from msgspec import Struct, field

from signalpost.kit import clock, rows
from signalpost.kit.db import Db
from signalpost.media import queries as media_queries
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts.actions.guards import guarded_contents
from signalpost.posts.queries import Duplicate
from signalpost.posts.rows import AuditRow, PostRow, TargetRow
from signalpost.web.caller import Caller


class NewPost(Struct):
    """A post of a batch as it is to be written.

    `digests`: of its profile and its accounts, as they were read. `accepted`: it is queued, and a unit of the plan is
    spent on it.
    """

    post: PostRow
    targets: list[TargetRow]
    digests: dict[UUID, int]
    history: list[AuditRow]
    accepted: bool

    @property
    def contents(self) -> list[bytes]:
        """Fingerprints that no other post may have."""
        return guarded_contents(self.post, self.targets)


class Obstacles(Struct):
    """What is in the way of posts. `heard`: profiles of which a subscriber acts on post.queued."""

    stale: set[UUID] = field(default_factory=set)
    contents: dict[bytes, Duplicate] = field(default_factory=dict)
    externals: dict[str, Duplicate] = field(default_factory=dict)
    heard: set[UUID] = field(default_factory=set)

    def are_stale(self, new: NewPost) -> bool:
        """Whether something that the post was built from is no longer so."""
        return not self.stale.isdisjoint(new.digests) or not self.stale.isdisjoint(new.post.media_ids)

    def duplicate_of(self, new: NewPost) -> Duplicate | None:
        """Return the post that has the content or the external id of this one."""
        equal = next((self.contents[content] for content in new.contents if content in self.contents), None)
        return equal or self.externals.get(new.post.external_id or "")


@cache
def _find(heard_sql: str) -> str:
    return f"""
select kind, id, account_id, hash, external from find_obstacles($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
union all
select 'heard', p.id, null, null, null from profile p where p.id = any($3) and ({heard_sql})
"""  # noqa: S608 - constants only


async def find_obstacles(db: Db, new_posts: Sequence[NewPost], heard_sql: str) -> Obstacles:
    """Return what is in the way of these posts of one workspace and mode; one statement, and one more for files.

    Until the end of the transaction nobody deletes what they are built from, or writes a post with the same content.
    """
    first = new_posts[0].post
    profiles, accounts = _digests(new_posts)
    hashes = sorted({content for new in new_posts for content in new.contents})
    externals = list({new.post.external_id for new in new_posts if new.post.external_id is not None})
    records = await db.fetch(
        _find(heard_sql), first.workspace_id, first.mode, list(profiles), list(profiles.values()), list(accounts),
        [profile_id for profile_id, _ in accounts.values()], [digest for _, digest in accounts.values()],
        hashes, externals, clock.now() if clock.is_simulated() else None,
    )  # fmt: skip
    obstacles = Obstacles()
    for kind, row_id, account_id, content, external in records:
        match kind:
            case "stale":
                obstacles.stale.add(row_id)
            case "heard":
                obstacles.heard.add(row_id)
            case "content":
                obstacles.contents[content] = Duplicate(row_id, account_id)
            case "external":
                obstacles.externals[external] = Duplicate(row_id, None)
    if media_ids := {media_id for new in new_posts for media_id in new.post.media_ids}:
        obstacles.stale |= media_ids - set(await media_queries.lock_ready(db, first.workspace_id, list(media_ids)))
    return obstacles


def _digests(new_posts: Iterable[NewPost]) -> tuple[dict[UUID, int], dict[UUID, tuple[UUID, int]]]:
    """Return the digest of each profile, and of each account with its profile, in the order of their ids."""
    profiles: dict[UUID, int] = {}
    accounts: dict[UUID, tuple[UUID, int]] = {}
    for new in new_posts:
        profile_id = new.post.profile_id
        for row_id, digest in new.digests.items():
            if row_id == profile_id:
                profiles[row_id] = digest
            else:
                accounts[row_id] = profile_id, digest
    return dict(sorted(profiles.items())), dict(sorted(accounts.items()))


_POST: Final = rows.names(PostRow)
_AUDIT: Final = rows.names(AuditRow)
_TARGET: Final = (
    "id, post_id, workspace_id, account_id, position, platform, status, text, media, title, options, scheduled_at,"
    " due_at, next_attempt_at, held_reason, dedupe_key, first_comment"
)
# $1 to $3 are JSON: lists of `PostRow`, `TargetRow` and `AuditRow`. $4 to $7 are the arguments of `spend_usage` but for
# the units, which are counted here. A post whose external id another transaction takes at this moment is not written.
_WRITE: Final = f"""
with new_posts as (
    insert into post ({_POST}) select {_POST} from jsonb_populate_recordset(null::post, $1)
    on conflict do nothing
    returning id, counted
), targets as materialized (
    select t.* from jsonb_to_recordset($2) as t(
        id uuid, post_id uuid, workspace_id uuid, account_id uuid, position smallint, platform text, status text,
        text text, media jsonb, title text, options jsonb, scheduled_at timestamptz, content_hash text,
        due_at timestamptz, next_attempt_at timestamptz, held_reason text, dedupe_key text, first_comment jsonb)
    join new_posts p on p.id = t.post_id
), new_targets as (
    insert into target ({_TARGET}, content_hash) select {_TARGET}, decode(content_hash, 'base64') from targets
), history as (
    insert into audit ({_AUDIT})
    select {_AUDIT} from jsonb_populate_recordset(null::audit, $3) where post_id in (select id from new_posts)
)
select array(select id from new_posts),
    (select case when count(*) > 0 then spend_usage($4, $5, $6, count(*), $7) else 0 end from new_posts where counted),
    (select wake_lanes('target', array_agg(account_id), $4, array_agg(platform), array_agg(next_attempt_at))
        from targets where next_attempt_at is not null having count(*) > 0)
"""  # noqa: S608 - names of columns only


async def write(db: Db, caller: Caller, new_posts: Sequence[NewPost]) -> set[UUID]:
    """Write posts that nothing stands in the way of; pay for them, and wake their lanes. One statement.

    Returns:
        The ids of those that were written: all but those of which another transaction took the external id meanwhile.

    Raises:
        PlanLimitReached: the units of this month do not suffice for all of them.
    """
    # In the order of their external ids, so that two batches that have the same ones wait in one direction.
    posts = sorted((new.post for new in new_posts), key=lambda post: post.external_id or "")
    targets = [target for new in new_posts for target in new.targets]
    history = [entry for new in new_posts for entry in new.history]
    workspace_id, metric, month, _, limit = plans.spend_parameters(caller, limits.POSTS, 0)
    written, used, _ = await db.fetchrow(_WRITE, posts, targets, history, workspace_id, metric, month, limit)  # type: ignore[misc] # one row, always
    await plans.check_spent(db, caller, limits.POSTS, used)
    return set(written)
