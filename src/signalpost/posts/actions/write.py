"""Writing a post with its targets and audit entries: one statement, which also pays for it and wakes its lanes.

All statements run in psql as they print; the row structs name the columns of `post` and `audit`.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, Final, Literal

import asyncpg
import msgspec
from msgspec import NODEFAULT, Struct

from signalpost.kit import clock, rows
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts import progress
from signalpost.posts.actions.guards import guarded_contents
from signalpost.posts.errors import ExternalIdConflict
from signalpost.posts.rows import AuditRow, PostRow, TargetRow
from signalpost.web.caller import Caller

# Columns are named, so that one which a newer version has added gets its default from a process that does not know it.
_POST: Final = rows.names(PostRow)
_AUDIT: Final = rows.names(AuditRow)
_COMMON: Final = (
    "id", "workspace_id", "profile_id", "timezone", "text", "status", "publish_mode", "scheduled_at",
    "scheduled_local", "tzdata_version", "created_by", "created_by_user_id", "source", "mode", "counted", "created_at",
    "updated_at", "queued_at", "external_id",
)  # fmt: skip
"""The columns in which posts differ. Most have the defaults of the table in all others (decision 0064)."""
_RARE: Final = {
    field.name: field.default if field.default_factory is NODEFAULT else field.default_factory()
    for field in msgspec.structs.fields(PostRow)
    if field.name not in _COMMON
}
_rare_of, _rare_defaults = attrgetter(*_RARE), tuple(_RARE.values())
_TARGET: Final = {
    "id": "uuid", "account_id": "uuid", "platform": "text", "content_hash": "bytea", "due_at": "timestamptz",
}  # fmt: skip
"""The columns in which the new targets of a post differ, with their types."""
_OVERRIDES: Final = {
    "text": "text",
    "title": "text",
    "media": "jsonb",
    "options": "jsonb",
    "scheduled_at": "timestamptz",
}


Obstacle = Literal["changed", "taken", "full", "limit"]
"""Why a post was not written: what was read for it no longer holds; another post is in the way; as many as the plan
allows are scheduled; the month is spent."""


class _Create:
    """The statement that writes a new post, with these columns; the others have their defaults.

    Args:
        post: columns of `post`.
        target: columns of `target` that differ between the targets, with their types.
        shared: columns of `target` that do not.
        heard_sql: see `Seen`.
    """

    def __init__(self, post: Sequence[str], target: Mapping[str, str], shared: Sequence[str], heard_sql: str) -> None:
        self.post, self.target, self.shared, self.values_of = post, target, shared, attrgetter(*post)
        self.heard_sql = heard_sql
        names = [
            *post, *(f"target.{name}" for name in target), *(f"shared.{name}" for name in shared),
            "audit_ids", "audit_actions", "request_id", "address", "digest", "heard", "hashes", "first_due", "month",
            "limit", "scheduled_limit",
        ]  # fmt: skip
        self.sql = self._sql({name: f"${number}" for number, name in enumerate(names, 1)})

    def _sql(self, p: Mapping[str, str]) -> str:
        """Return the statement. `p`: parameters by name."""
        # JSON travels as text: an array of JSON arrays would be one of two dimensions.
        arrays = ", ".join(
            f"{p[f'target.{name}']}::{'text' if type_ == 'jsonb' else type_}[]" for name, type_ in self.target.items()
        )
        same = {name: p[f"shared.{name}"] for name in self.shared}
        same |= {"post_id": p["id"], "workspace_id": p["workspace_id"], "position": "t.position - 1"}
        same |= {"status": "'pending'", "next_attempt_at": "t.due_at", "dedupe_key": "replace(t.id::text, '-', '')"}
        own = {name: f"t.{name}::{type_}" for name, type_ in self.target.items()}
        ledger = plans.count_sql(
            limits.POSTS,
            workspace_id=p["workspace_id"],
            month=p["month"],
            source=f"from prepared where obstacle is null and {p['month']}::date is not null"
            f" and {p['limit']}::bigint is null",  # else it is spent with the obstacle
        )
        # Locks the files that the post uses: whoever deletes one waits, and then finds the post.
        files, all_ready = "", ""
        if "media_ids" in p:
            files = f"""files as materialized (
    select m.id from media m
    where m.id = any({p["media_ids"]}::uuid[]) and m.workspace_id = {p["workspace_id"]} and m.status = 'ready'
    order by m.id for share
), """  # noqa: S608 - names of columns only
            count = f"cardinality({p['media_ids']}::uuid[])"
            all_ready = f"when (select count(*) from files) < {count} then 'changed' "  # noqa: S608 - as above
        return f"""
with {files}prepared as materialized (
    select coalesce(
        case {all_ready}when ({self.heard_sql}) is distinct from {p["heard"]} then 'changed' else prepare_post(
            p.workspace_id, p.id, {p["digest"]}, {p["target.account_id"]}, {p["target.platform"]}, {p["target.due_at"]},
            {p["first_due"]}, {p["mode"]}, {p["hashes"]}, {p["external_id"]}) end,
        case when {p["scheduled_limit"]}::bigint is not null
            and not may_schedule(p.workspace_id, 1, {p["scheduled_limit"]}) then 'full' end,
        case when {p["limit"]}::bigint is not null and {p["month"]}::date is not null and spend_usage(
            p.workspace_id, '{limits.POSTS.name}', {p["month"]}, 1, {p["limit"]}) is null then 'limit' end) as obstacle
    from (select {p["workspace_id"]}::uuid as workspace_id, {p["profile_id"]}::uuid as id) p
), new_post as (
    insert into post ({", ".join(self.post)})
    select {", ".join(p[name] for name in self.post)}
    from prepared where obstacle is null
), new_targets as (
    insert into target ({", ".join((same | own).keys())})
    select {", ".join((same | own).values())}
    from prepared, unnest({arrays}) with ordinality as t({", ".join(self.target)}, position) where obstacle is null
), history as (
    insert into audit (id, workspace_id, post_id, at, action, actor, request_id, address)
    select a.id, {p["workspace_id"]}, {p["id"]}, {p["created_at"]}, a.action, {p["created_by"]}, {p["request_id"]},
        {p["address"]}
    from prepared, unnest({p["audit_ids"]}::uuid[], {p["audit_actions"]}::text[]) as a(id, action)
    where obstacle is null
), ledger as ({ledger})
select obstacle from prepared
"""  # noqa: S608 - names of columns only


_SHARED: Final = ("held_reason", "first_comment")


@cache
def _create_any(heard_sql: str) -> _Create:
    """Return the statement that can write every post."""
    return _Create(PostRow.__struct_fields__, _TARGET | _OVERRIDES, _SHARED, heard_sql)


@cache
def _create_common(heard_sql: str) -> _Create:
    """Return the statement that writes a post with the usual defaults, with half the work of the other one."""
    return _Create(_COMMON, _TARGET, (), heard_sql)


# $1 to $3 are JSON: a `PostRow`, a list of `TargetRow`, a list of `AuditRow`; instants as text, bytes in base64. $4 to
# $8 are the arguments of `spend_usage` (see the migrations): workspace id, 'posts', first day of the month, 1, the
# plan's limit. All five are null if the post is not to be paid for.
# Other content is another post to the network: the steps already done for the old content do not count for it, except
# for parts that are public, which no update changes (`public`).
UPDATE: Final = f"""
with changed_post as (
    update post set ({_POST}) = (select {_POST} from jsonb_populate_record(null::post, $1::jsonb))
    where id = ($1::jsonb ->> 'id')::uuid
), targets as (
    select * from jsonb_to_recordset($2::jsonb) as t(
        id uuid, post_id uuid, workspace_id uuid, account_id uuid, position smallint, platform text, status text,
        text text, media jsonb, title text, options jsonb, scheduled_at timestamptz, content_hash text,
        due_at timestamptz, next_attempt_at timestamptz, held_reason text, dedupe_key text, first_comment jsonb,
        error jsonb)
), changed_targets as (
    insert into target (id, post_id, workspace_id, account_id, position, platform, status, text, media, title, options,
        scheduled_at, content_hash, due_at, next_attempt_at, held_reason, dedupe_key, first_comment, error, updated_at)
    select id, post_id, workspace_id, account_id, position, platform, status, text, media, title, options,
        scheduled_at, decode(content_hash, 'base64'), due_at, next_attempt_at, held_reason, dedupe_key, first_comment,
        error, ($1::jsonb ->> 'updated_at')::timestamptz
    from targets
    on conflict (post_id, account_id) do update set position = excluded.position, status = excluded.status,
        text = excluded.text, media = excluded.media, title = excluded.title, options = excluded.options,
        scheduled_at = excluded.scheduled_at, content_hash = excluded.content_hash, due_at = excluded.due_at,
        next_attempt_at = excluded.next_attempt_at, held_reason = excluded.held_reason,
        dedupe_key = excluded.dedupe_key, first_comment = excluded.first_comment, error = excluded.error,
        updated_at = excluded.updated_at,
        steps = case when target.dedupe_key = excluded.dedupe_key then target.steps
            else public_steps(target.steps) end
), removed_targets as (
    delete from target
    where post_id = ($1::jsonb ->> 'id')::uuid and account_id <> all(array(select account_id from targets))
), history as (
    insert into audit ({_AUDIT}) select {_AUDIT} from jsonb_populate_recordset(null::audit, $3::jsonb)
)
select case when $4::uuid is not null then spend_usage($4, $5, $6, $7, $8) end, (
    select wake_lanes('target', array_agg(account_id), workspace_id, array_agg(platform), array_agg(next_attempt_at))
    from targets where next_attempt_at is not null group by workspace_id)
"""  # noqa: S608 - names of columns only

_UNPAID: Final = (None, None, None, None, None)


class Seen(Struct):
    """What was read for a post, and must still hold when it is written.

    `digest`: of the profile and its accounts, as `prepare_post` combines them. `heard`: what the condition `heard_sql`,
    over the profile `p`, said: whether a subscriber acts on the post.
    """

    digest: int
    heard: bool
    heard_sql: str


class NewPost(Struct):
    """A post to be written. `accepted`: it is queued, and a unit of `plan`, whose limits hold, is spent on it."""

    post: PostRow
    targets: list[TargetRow]
    seen: Seen
    history: list[AuditRow]
    accepted: bool
    plan: str


async def create(db: Db, new: NewPost) -> Obstacle | None:
    """Write a new post, and spend its unit of the month; unless something is in the way: then write nothing.

    Return what is in the way. Outside a transaction too, all of it is written or nothing.

    Raises:
        ExternalIdConflict: another post took the external id at this moment.
    """
    post, targets, seen, history = new.post, new.targets, new.seen, new.history
    create_ = (_create_common if is_common(post, targets) else _create_any)(seen.heard_sql)
    try:
        obstacle: Obstacle | None = await db.fetchval(
            create_.sql,
            *create_.values_of(post),
            *(_array(targets, name, type_) for name, type_ in create_.target.items()),
            *(getattr(targets[0], name) if targets else None for name in create_.shared),
            [entry.id for entry in history], [entry.action for entry in history], history[0].request_id,
            history[0].address, seen.digest, seen.heard, _guarded(post, targets), progress.first_due(targets),
            plans.this_month() if new.accepted else None, limits.POSTS.of(new.plan),
            limits.SCHEDULED_POSTS.of(new.plan) if post.status == "scheduled" else None,
        )  # fmt: skip
    except asyncpg.UniqueViolationError as error:
        raise _conflict(error, post) from None
    return obstacle


def _guarded(post: PostRow, targets: Sequence[TargetRow]) -> list[bytes]:
    """Return the contents that the statement looks for, by the real clock; by a simulated one, `create_post` looks."""
    return [] if clock.is_simulated() else guarded_contents(post, targets)


_additions_of, _NO_ADDITIONS = attrgetter(*_OVERRIDES, "held_reason"), (None,) * (len(_OVERRIDES) + 1)


def is_common(post: PostRow, targets: Sequence[TargetRow]) -> bool:
    """Whether the post has the usual defaults, so that a statement with few columns can write it."""
    return _rare_of(post) == _rare_defaults and all(_additions_of(target) == _NO_ADDITIONS for target in targets)


def _array(targets: Sequence[TargetRow], name: str, type_: str) -> list[Any]:
    values = [getattr(target, name) for target in targets]
    if type_ != "jsonb":
        return values
    return [None if value is None else msgspec.json.encode(value).decode() for value in values]


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
        used = await db.fetchval(UPDATE, post, targets, history, *payment)
    except asyncpg.UniqueViolationError as error:
        raise _conflict(error, post) from None
    if payer is not None:
        await plans.check_spent(db, payer, limits.POSTS, used)


_LABELS: Final = f"""
with changed_post as (
    update post set tags = $2, notes = $3, campaign = $4, external_id = $5, approval = $6, version = $7, updated_at = $8
    where id = $1
)
insert into audit ({_AUDIT}) select {_AUDIT} from jsonb_populate_record(null::audit, $9)
"""  # noqa: S608 - names of columns only


async def update_labels(db: Db, post: PostRow, entry: AuditRow) -> None:
    """Write what can change in every state of a locked post: its labels and its approval.

    Raises:
        ExternalIdConflict: another post took the external id at this moment.
    """
    try:
        await db.execute(
            _LABELS, post.id, post.tags, post.notes, post.campaign, post.external_id, post.approval, post.version,
            post.updated_at, entry,
        )  # fmt: skip
    except asyncpg.UniqueViolationError as error:
        raise _conflict(error, post) from None


_RECURRENCE: Final = f"""
with changed_post as (
    update post set recurrence = $2, scheduled_at = $3, version = $4, updated_at = $5 where id = $1
)
insert into audit ({_AUDIT}) select {_AUDIT} from jsonb_populate_record(null::audit, $6)
"""  # noqa: S608 - names of columns only


async def update_recurrence(db: Db, post: PostRow, entry: AuditRow) -> None:
    """Write how a locked post repeats, which can change in every state."""
    await db.execute(_RECURRENCE, post.id, post.recurrence, post.scheduled_at, post.version, post.updated_at, entry)


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
