"""Writing a post with its targets and audit entries: one statement, which also pays for it and wakes its lanes.

Both statements run in psql as they print; the row structs name the columns of `post` and `audit`.
$1 to $3 are JSON: a `PostRow`, a list of `TargetRow`, a list of `AuditRow`; instants as text, bytes in base64.
$4 to $8 are the arguments of `spend_usage` (see the migrations): workspace id, 'posts', first day of the month, 1, the
plan's limit. All five are null if the post is not to be paid for.
"""

from collections.abc import Sequence
from typing import Final

import asyncpg

from signalpost.kit import rows
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts.errors import ExternalIdConflict
from signalpost.posts.rows import AuditRow, PostRow, TargetRow
from signalpost.web.caller import Caller

# Columns are named, so that one which a newer version has added gets its default from a process that does not know it.
_POST: Final = rows.names(PostRow)
_AUDIT: Final = rows.names(AuditRow)
CREATE: Final = f"""
with new_post as (
    insert into post ({_POST}) select {_POST} from jsonb_populate_record(null::post, $1::jsonb)
), targets as (
    select * from jsonb_to_recordset($2::jsonb) as t(
        id uuid, post_id uuid, workspace_id uuid, account_id uuid, position smallint, platform text, status text,
        text text, media jsonb, title text, options jsonb, scheduled_at timestamptz, content_hash text,
        due_at timestamptz, next_attempt_at timestamptz, held_reason text, dedupe_key text, first_comment jsonb)
), new_targets as (
    insert into target (id, post_id, workspace_id, account_id, position, platform, status, text, media, title, options,
        scheduled_at, content_hash, due_at, next_attempt_at, held_reason, dedupe_key, first_comment)
    select id, post_id, workspace_id, account_id, position, platform, status, text, media, title, options,
        scheduled_at, decode(content_hash, 'base64'), due_at, next_attempt_at, held_reason, dedupe_key, first_comment
    from targets
), history as (
    insert into audit ({_AUDIT}) select {_AUDIT} from jsonb_populate_recordset(null::audit, $3::jsonb)
)
select case when $4::uuid is not null then spend_usage($4, $5, $6, $7, $8) end, (
    select wake_lanes('target', array_agg(account_id), workspace_id, array_agg(platform), array_agg(next_attempt_at))
    from targets where next_attempt_at is not null and held_reason is null group by workspace_id)
"""  # noqa: S608 - names of columns only

# Other content is another post to the network: the steps already done for the old content do not count for it.
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
        steps = case when target.dedupe_key = excluded.dedupe_key then target.steps else '{{}}' end
), removed_targets as (
    delete from target
    where post_id = ($1::jsonb ->> 'id')::uuid and account_id <> all(array(select account_id from targets))
), history as (
    insert into audit ({_AUDIT}) select {_AUDIT} from jsonb_populate_recordset(null::audit, $3::jsonb)
)
select case when $4::uuid is not null then spend_usage($4, $5, $6, $7, $8) end, (
    select wake_lanes('target', array_agg(account_id), workspace_id, array_agg(platform), array_agg(next_attempt_at))
    from targets where next_attempt_at is not null and held_reason is null group by workspace_id)
"""  # noqa: S608 - names of columns only

_UNPAID: Final = (None, None, None, None, None)


async def create(
    db: Db, post: PostRow, targets: Sequence[TargetRow], history: Sequence[AuditRow], *, payer: Caller | None = None
) -> None:
    """Write a new post. The plan of `payer`, if there is one, pays a unit for it.

    Raises:
        ExternalIdConflict: another post took the external id at this moment.
        PlanLimitReached: the units of this month are used up.
    """
    await _write(db, CREATE, post, targets, history, payer)


async def update(
    db: Db, post: PostRow, targets: Sequence[TargetRow], history: Sequence[AuditRow], *, payer: Caller | None = None
) -> None:
    """Write a post over its locked row. `targets` are all of its targets: others are deleted.

    Raises:
        ExternalIdConflict, PlanLimitReached: as `create`.
    """
    await _write(db, UPDATE, post, targets, history, payer)


async def _write(
    db: Db,
    statement: str,
    post: PostRow,
    targets: Sequence[TargetRow],
    history: Sequence[AuditRow],
    payer: Caller | None,
) -> None:
    payment = _UNPAID if payer is None else plans.spend_parameters(payer, limits.POSTS, 1)
    try:
        used = await db.fetchval(statement, post, targets, history, *payment)
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


def _conflict(error: asyncpg.UniqueViolationError, post: PostRow) -> Exception:
    if error.constraint_name != "post_external":
        return error
    return ExternalIdConflict(f"Another post has the externalId {post.external_id!r}.")


async def refund(db: Db, post: PostRow) -> None:
    """Give back the plan's unit that was spent on a post of which nothing has been attempted yet."""
    if post.counted and post.queued_at is not None:
        await plans.refund(db, post.workspace_id, limits.POSTS, 1, spent_at=post.queued_at)
    post.counted, post.queued_at = False, None
