"""The writer of posts: with their targets and audit entries, paid for, their lanes awake; one statement for many.

All statements run in psql as they print; the row structs name the columns of `post`, `target` and `audit`. See decision
0347.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Any, Final, Literal

import asyncpg
from msgspec import Struct, field

from signalpost.kit import clock, rows, tracing
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts.errors import ExternalIdConflict
from signalpost.posts.rows import LABELS, AuditRow, PostRow, TargetRow
from signalpost.posts.write.guards import guarded_content, guarded_contents
from signalpost.web.caller import Caller
from signalpost.web.idempotency import KEY_ROWS, KeyRow, keep_sql

# Columns are named, so that one which a newer version has added gets its default from a process that does not know it.
_TYPES: Final = {"scheduled_local": "timestamp"}
POSTS: Final = rows.Arrays(PostRow, **_TYPES)
TARGETS: Final = rows.Arrays(
    TargetRow,
    without=(
        "username", "account_status", "paused_until",  # of the account
        "attempts", "delivery", "remote_id", "url", "thread_ids", "started_at", "published_at", "removed_at",  # later
    ),
)  # fmt: skip
HISTORY: Final = rows.Arrays(AuditRow, without=("target_id", "changes", "attempt", "subject"))
_USUAL: Final = (
    "id", "workspace_id", "profile_id", "timezone", "text", "status", "publish_mode", "scheduled_at",
    "scheduled_local", "tzdata_version", "created_by", "created_by_user_id", "source", "mode", "counted", "created_at",
    "updated_at", "queued_at", "external_id",
)  # fmt: skip
"""The columns in which posts differ. Most have the defaults of the table in all others (decision 0064)."""
_OVERRIDES: Final = ("text", "media", "title", "options", "scheduled_at", "held_reason", "first_comment", "error")
_is_usual = rows.holds_defaults(PostRow, [name for name in POSTS.names if name not in _USUAL])
_has_no_override = rows.holds_defaults(TargetRow, _OVERRIDES)
_POST: Final = rows.names(PostRow)
_TARGET: Final = ", ".join(TARGETS.names)
_AUDIT: Final = rows.names(AuditRow)

Obstacle = Literal["changed", "taken", "full", "limit", "kept"]
"""Why a post was not written: what was read for it no longer holds; another post is in the way; as many as the plan
allows are scheduled; the month is spent; its Idempotency-Key is in use."""


class Seen(Struct):
    """What was read for a post, and must still hold when it is written.

    `digest`: of the profile and its accounts, as `prepare_post` combines them. `heard`: what the condition `heard_sql`,
    over the profile `p`, said: whether a subscriber acts on the post.
    """

    digest: int
    heard: bool
    heard_sql: str


class NewPost(Struct):
    """A post to be written. If it is queued, a unit of `plan`, whose limits hold, is spent on it.

    `key_row`: the response under its Idempotency-Key, to be written with it; only where the plan has no limits.
    `span`: within which it was built, since posts of several requests may be written together.
    """

    post: PostRow
    targets: list[TargetRow]
    seen: Seen
    history: list[AuditRow]
    plan: str
    key_row: KeyRow | None = None
    span: tracing.Span | None = field(default_factory=tracing.open_span)

    @property
    def contents(self) -> list[bytes]:
        """Fingerprints that no other post may have, in the order in which everyone locks them."""
        return guarded_contents(self.post, self.targets)

    @property
    def exclusive(self) -> list[object]:
        """What no other post of the same statement may have: its contents, and its Idempotency-Key."""
        return [*self.contents, *([] if self.key_row is None else [(self.key_row.credential, self.key_row.key)])]


class _Write:
    """The statement, with the parts that posts like these need; each of its texts is planned once a connection.

    $1: workspace; $2: mode; $3 to $5: month, limit of the month, limit of scheduled posts. Then come arrays: $6, $7:
    `Seen` of each post; $8: the content that each target guards; and the rows.

    Args:
        heard_sql: see `Seen`.
        is_usual: no post has files or another value than its default in a column that is not in `_USUAL`.
        is_one: it is one post, which needs no locks but those of `prepare_post`.
        is_kept: there are Idempotency-Keys.
    """

    def __init__(self, heard_sql: str, *, is_usual: bool, is_one: bool, is_kept: bool) -> None:
        self.posts = rows.Arrays(PostRow, only=_USUAL, **_TYPES) if is_usual else POSTS
        self.targets = rows.Arrays(TargetRow, only=TARGETS.names, without=_OVERRIDES) if is_usual else TARGETS
        self.is_kept = is_kept
        self.sql = self._sql(heard_sql, files=not is_usual, locks=not is_one)

    def values(self, new_posts: Sequence["NewPost"]) -> Iterable[Any]:
        """Return the parameters from $8 on."""
        targets = [target for new in new_posts for target in new.targets]
        guarded: list[bytes | None] = [None] * len(targets)
        if not clock.is_simulated():  # else they were looked for by the simulated clock
            guarded = [guarded_content(new.post, target) for new in new_posts for target in new.targets]
        history = HISTORY.values(entry for new in new_posts for entry in new.history)
        posts = self.posts.values(new.post for new in new_posts)
        return chain([guarded], posts, self.targets.values(targets), history, self._keys(new_posts))

    def _keys(self, new_posts: Sequence["NewPost"]) -> Iterable[Any]:
        """Return the rows of keys, and the places of their posts."""
        if not self.is_kept:
            return ()
        rows_ = [(place, new.key_row) for place, new in enumerate(new_posts, 1) if new.key_row is not None]
        return chain(KEY_ROWS.values(row for _, row in rows_), [[place for place, _ in rows_]])

    def _sql(self, heard_sql: str, *, files: bool, locks: bool) -> str:
        targets_at = 9 + len(self.posts)
        history_at = targets_at + len(self.targets)
        keys, checked = (_keys_sql(history_at + len(HISTORY)), "unless_kept") if self.is_kept else ("", "checked")
        has_files = "(select count(*) from files f where f.id = any(g.media_ids::uuid[]))"
        changed = f"when {has_files} < cardinality(g.media_ids::uuid[]) then 'changed'" if files else ""
        return f"""
with given as materialized (
    select * from {self.posts.table("p", 9, digest="$6::bigint[]", heard="$7::boolean[]")}
), given_targets as materialized (
    select * from {self.targets.table("t", targets_at, guarded="$8::bytea[]")}
), {_LOCKS if locks else ""} {_FILES if files else ""} checked as materialized (
    select g.id, g.place, g.status, g.counted, case
        {changed} when ({heard_sql}) is distinct from g.heard then 'changed'
        else prepare_post(
            $1, p.id, g.digest, coalesce(t.account_ids, '{{}}'), t.platforms, t.due_ats, t.first_due, $2,
            coalesce(t.hashes, '{{}}'), g.external_id)
        end as obstacle
    from given g
    left join (
        select post_id, array_agg(account_id order by place) as account_ids,
            array_agg(platform order by place) as platforms, array_agg(next_attempt_at order by place) as due_ats,
            min(next_attempt_at) as first_due,
            array_agg(guarded order by guarded) filter (where guarded is not null) as hashes
        from given_targets group by post_id) t on t.post_id = g.id,
    lateral (select g.workspace_id, g.profile_id as id) p
    where {"(select count(*) from woken) >= 0" if locks else "true"}
), {keys} paid as materialized (
    select case
        when $5::bigint is not null and not may_schedule($1, count(*) filter (where status = 'scheduled'), $5)
            then 'full'
        when count(*) filter (where counted) > 0
            and spend_usage($1, '{limits.POSTS.name}', $3, count(*) filter (where counted), $4) is null then 'limit'
        end as obstacle
    from {checked} where obstacle is null
), free as materialized (
    select array_agg(c.id) as ids from {checked} c, paid where c.obstacle is null and paid.obstacle is null
), written_posts as (
    insert into post ({", ".join(self.posts.names)})
    select {self.posts.select("g")} from given g where g.id = any((select ids from free)::uuid[])
    order by g.external_id
), written_targets as (
    insert into target ({", ".join(self.targets.names)})
    select {self.targets.select("t")} from given_targets t where t.post_id = any((select ids from free)::uuid[])
), history as (
    insert into audit ({", ".join(HISTORY.names)})
    select {HISTORY.select("a")} from {HISTORY.table("a", history_at)}
    where a.post_id = any((select ids from free)::uuid[])
)
select coalesce(c.obstacle, paid.obstacle) from {checked} c, paid order by c.place
"""  # noqa: S608 - names of columns only


def _keys_sql(first: int) -> str:
    """Return what writes the responses of posts with nothing in their way; whose key is in use gets that in its way."""
    return f"""
given_keys as materialized (
    select * from {KEY_ROWS.table("k", first, at=f"${first + len(KEY_ROWS)}::bigint[]")}
), kept as (
    {keep_sql("given_keys k join checked c on c.place = k.at", "c.obstacle is null")}
), unless_kept as materialized (
    select c.id, c.place, c.status, c.counted, case
        when c.obstacle is null and k.at is not null and not exists (
            select from kept where kept.credential = k.credential and kept.key = k.key) then 'kept'
        else c.obstacle end as obstacle
    from checked c left join given_keys k on k.at = c.place
),"""  # noqa: S608 - names of columns only


# In the order in which all writers take them, for posts that would each take them in their own. A lane of a post that
# is refused then is looked at once in vain.
_LOCKS: Final = """profiles as materialized (
    select pg_advisory_xact_lock_shared(profile_lock(id)) from (
        select distinct profile_id as id from given order by 1) p
), contents as materialized (
    select pg_advisory_xact_lock(hashtextextended(encode(hash, 'hex'), 0)) from (
        select distinct guarded as hash from given_targets where guarded is not null order by 1) c
    where (select count(*) from profiles) > 0
), woken as materialized (
    select wake_lanes('target', array_agg(account_id), $1, array_agg(platform), array_agg(next_attempt_at))
    from given_targets
    where next_attempt_at is not null and (select count(*) from contents) >= 0 having count(*) > 0
),"""
# Whoever deletes one waits, and then finds the post.
_FILES: Final = """files as materialized (
    select m.id from media m
    where m.id = any(array(select unnest(media_ids::uuid[]) from given)) and m.workspace_id = $1 and m.status = 'ready'
    order by m.id for share
),"""

_write = cache(_Write)


async def write(db: Db, posts: Sequence[NewPost]) -> list[Obstacle | None]:
    """Write new posts of one workspace, mode and plan, each unless something is in the way of it, and pay for them.

    Return what is in the way of each. Outside a transaction too, all of it is written or nothing. No two of them may
    have the same content or external id.

    Raises:
        ExternalIdConflict: another post took the external id of one at this moment.
    """
    first, plan = posts[0].post, posts[0].plan
    is_usual = all(_is_usual(new.post) and all(map(_has_no_override, new.targets)) for new in posts)
    is_kept = any(new.key_row is not None for new in posts)
    if is_kept and limits.POSTS.of(plan) is not None:
        raise TypeError("the key of a post that the plan refuses would be used up")
    statement = _write(posts[0].seen.heard_sql, is_usual=is_usual, is_one=len(posts) == 1, is_kept=is_kept)
    is_scheduled = any(new.post.status == "scheduled" for new in posts)
    try:
        records = await db.fetch(
            statement.sql, first.workspace_id, first.mode, plans.this_month(), limits.POSTS.of(plan),
            limits.SCHEDULED_POSTS.of(plan) if is_scheduled else None,
            [new.seen.digest for new in posts], [new.seen.heard for new in posts], *statement.values(posts),
        )  # fmt: skip
    except asyncpg.UniqueViolationError as error:
        raise _conflict(error, first) from None
    obstacles: list[Obstacle | None] = [record[0] for record in records]
    for new, obstacle in zip(posts, obstacles, strict=True):
        if obstacle is None:
            tracing.post_written(new.post.id, new.span)
    return obstacles


_CHANGED: Final = ", ".join(
    f"{name} = excluded.{name}"
    for name in TARGETS.names
    if name not in ("id", "post_id", "workspace_id", "account_id", "platform")
)
_UPDATE_TARGETS_AT: Final = 8
# $1, $2 are JSON: a `PostRow`, a list of `AuditRow`; instants as text. $3 to $7 are the arguments of `spend_usage` (see
# the schema); all are null if the post is not to be paid for. Then the targets.
# Other content is another post to the network: the steps already done for the old content do not count for it, except
# for parts that are public, which no update changes (`public`).
UPDATE: Final = f"""
with changed_post as (
    update post set ({_POST}) = (select {_POST} from jsonb_populate_record(null::post, $1::jsonb))
    where id = ($1::jsonb ->> 'id')::uuid
), targets as materialized (
    select * from {TARGETS.table("t", _UPDATE_TARGETS_AT)}
), changed_targets as (
    insert into target ({_TARGET}, updated_at)
    select {TARGETS.select("t")}, ($1::jsonb ->> 'updated_at')::timestamptz from targets t
    on conflict (post_id, account_id) do update set {_CHANGED}, updated_at = excluded.updated_at,
        steps = case when target.dedupe_key = excluded.dedupe_key then target.steps
            else public_steps(target.steps) end
), removed_targets as (
    delete from target
    where post_id = ($1::jsonb ->> 'id')::uuid and account_id <> all(array(select account_id from targets))
), history as (
    insert into audit ({_AUDIT}) select {_AUDIT} from jsonb_populate_recordset(null::audit, $2::jsonb)
)
select case when $3::uuid is not null then spend_usage($3, $4, $5, $6, $7) end, (
    select wake_lanes('target', array_agg(account_id), workspace_id, array_agg(platform), array_agg(next_attempt_at))
    from targets where next_attempt_at is not null group by workspace_id)
"""  # noqa: S608 - names of columns only

_UNPAID: Final = (None, None, None, None, None)


async def update(
    db: Db, post: PostRow, targets: Sequence[TargetRow], history: Sequence[AuditRow], *, payer: Caller | None = None
) -> None:
    """Write a post over its locked row. `targets` are all of its targets: others are deleted.

    The plan of `payer`, if there is one, pays a unit for it.

    Raises:
        ExternalIdConflict: another post took the external id at this moment.
        PlanLimitReached: the units of this month are used up.
    """
    payment = _UNPAID if payer is None else plans.spend_parameters(payer, limits.POSTS, 1)
    try:
        used = await db.fetchval(UPDATE, post, history, *payment, *TARGETS.values(targets))
    except asyncpg.UniqueViolationError as error:
        raise _conflict(error, post) from None
    if payer is not None:
        await plans.check_spent(db, payer, limits.POSTS, used)


_LABELS: Final = (*LABELS, "approval", "version", "updated_at")
_RECURRENCE: Final = ("recurrence", "scheduled_at", "version", "updated_at")


@cache
def _change(names: Sequence[str]) -> str:
    """Return the statement that changes these columns of the post $1, and writes the audit entry $2."""
    changed = ", ".join(f"{name} = ${number}" for number, name in enumerate(names, 3))
    return f"""
with changed_post as (update post set {changed} where id = $1)
insert into audit ({_AUDIT}) select {_AUDIT} from jsonb_populate_record(null::audit, $2)
"""  # noqa: S608 - names of columns only


async def update_labels(db: Db, post: PostRow, entry: AuditRow) -> None:
    """Write what can change in every state of a locked post: its labels and its approval.

    Raises:
        ExternalIdConflict: another post took the external id at this moment.
    """
    try:
        await db.execute(_change(_LABELS), post.id, entry, *(getattr(post, name) for name in _LABELS))
    except asyncpg.UniqueViolationError as error:
        raise _conflict(error, post) from None


async def update_recurrence(db: Db, post: PostRow, entry: AuditRow) -> None:
    """Write how a locked post repeats, which can change in every state."""
    await db.execute(_change(_RECURRENCE), post.id, entry, *(getattr(post, name) for name in _RECURRENCE))


def _conflict(error: asyncpg.UniqueViolationError, post: PostRow) -> Exception:
    if error.constraint_name != "post_external":
        return error
    return ExternalIdConflict(f"Another post has the externalId {post.external_id!r}.")


async def refund(db: Db, post: PostRow) -> None:
    """Give back the plan's unit that was spent on a post of which nothing has been attempted yet."""
    if post.counted and post.queued_at is not None:
        # X-Test-Now may have said when a test post was queued, but not in which month that was counted.
        spent_at = post.queued_at if post.mode == "live" else clock.actual()
        await plans.refund(db, post.workspace_id, limits.POSTS, 1, spent_at=spent_at)
    post.counted, post.queued_at = False, None
