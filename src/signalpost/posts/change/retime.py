"""The queue of test posts follows the clock of their sandbox. Live posts are never read or written here.

A workspace's clock is some time ahead. A target that waits for its scheduled time is due that much earlier. Everything
else that waits (a retry, a reconcile, an approval) comes nearer once, by as much as the clock was moved. A target that
something holds when its time comes (its account is paused, nobody has approved) has waited since then, and gets late.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from asyncpg import Record

from signalpost.engine.wake import resume, wake
from signalpost.kit.db import Db
from signalpost.posts import queries

TARGETS_MAX: Final = 5_000
"""How many targets one batch moves."""
BATCHES_MAX: Final = 20
"""How many batches a move of the clock takes, in its transaction: what has no scheduled time comes nearer only then."""

_TEST_POST: Final = "p.workspace_id = $1 and p.mode = 'test' and p.deleted_at is null"
_AHEAD: Final = "(t.status = 'pending' and t.due_at > now())"
"""The scheduled time of the target has not come."""
_AT: Final = "coalesce(t.scheduled_at, p.scheduled_at) - $2::interval"
# Times are rounded to the millisecond when a post is queued.
_OFF: Final = f"abs(extract(epoch from t.due_at - greatest({_AT}, now()))) > 0.001"

_HELD: Final = """(a.status not in ('active', 'expiring') or a.over_limit
    or p.approval ->> 'state' not in ('not_required', 'approved')
    or exists (select from profile f where f.id = p.profile_id and f.over_limit))"""
"""Nothing of the target goes out as things are."""

_MOVABLE: Final = f"""
select t.id, t.post_id, t.account_id
from account a join target t on t.account_id = a.id join post p on p.id = t.post_id
where a.workspace_id = $1 and a.platform = 'sandbox' and {_TEST_POST}
    and t.next_attempt_at is not null and (t.next_attempt_at > now() or t.held_reason is not null or {_HELD})
    and case when {_AHEAD} then {_OFF} else $3::interval > interval '0' and t.updated_at <> now() end
order by t.next_attempt_at, t.id limit $4
"""  # noqa: S608 - constants only; what an earlier batch has moved was updated now
_SANDBOXES: Final = "select id as account_id from account where workspace_id = $1 and platform = 'sandbox'"
_LOCK_POSTS: Final = "select from post where id = any($1) order by id for no key update"
# What becomes due all at once does so in its order, a microsecond apart. A target whose time comes because the clock
# was moved is on time, unless something held it then: that one, and one that was due before and is held, have waited.
_RETIME: Final = f"""
with waiting as (
    select t.id, t.due_at, t.next_attempt_at, t.held_reason is not null or {_HELD} as held, {_AHEAD} as ahead,
        {_AT} as at,
        now() + interval '1 microsecond' * row_number() over (order by {_AT}, t.next_attempt_at, t.id) as soon
    from target t join post p on p.id = t.post_id join account a on a.id = t.account_id
    where t.id = any($4) and {_TEST_POST} and t.next_attempt_at is not null
        and t.status in ('pending', 'retrying', 'processing', 'unknown')
        and case when {_AHEAD} then {_AT} is not null else $3::interval > interval '0' end
), timed as (
    select id,
        case when ahead then greatest(at, case when not held then soon end)
            when held then due_at - $3 else due_at end as due_at,
        case when ahead then greatest(at, soon)
            else least(next_attempt_at, greatest(next_attempt_at - $3, soon)) end as next_attempt_at
    from waiting
)
update target t set due_at = n.due_at, next_attempt_at = n.next_attempt_at, updated_at = now()
from timed n where t.id = n.id
returning t.account_id, t.platform, t.next_attempt_at
"""  # noqa: S608 - constants only
# A pause of an account that live posts wait for as well is theirs too.
_ONLY_TESTS: Final = """
select k.id from unnest($1::uuid[]) as k(id) where not exists (
    select from target t join post p on p.id = t.post_id
    where t.account_id = k.id and t.next_attempt_at is not null and p.mode <> 'test')
"""


async def follow_clock(db: Db, workspace_id: UUID, *, ahead: timedelta, moved: timedelta = timedelta(0)) -> bool:
    """Bring what waits of a workspace's test posts in line with the clock of its sandbox; wake the lanes.

    Args:
        db: a connection inside a transaction.
        workspace_id: whose test posts.
        ahead: how far the clock is ahead of the real time; zero puts scheduled targets back to their times.
        moved: by how much it was moved just now.

    Returns:
        whether that was all; otherwise there may be more.
    """
    is_last = False
    for batch in range(BATCHES_MAX if moved else 1):
        movable = await db.fetch(_MOVABLE, workspace_id, ahead, moved, TARGETS_MAX)
        is_last = len(movable) < TARGETS_MAX
        if batch == 0 and movable:
            # Lanes are locked before posts, so those of later batches are, too.
            rows = movable if is_last else await db.fetch(_SANDBOXES, workspace_id)
            await queries.lock_lanes(db, list({row["account_id"] for row in rows}))
        if movable:
            await _retime(db, workspace_id, ahead, moved, movable)
        if is_last:
            break
    return is_last


async def _retime(db: Db, workspace_id: UUID, ahead: timedelta, moved: timedelta, movable: Sequence[Record]) -> None:
    """Move these targets, and wake their lanes."""
    await db.execute(_LOCK_POSTS, [row["post_id"] for row in movable])
    retimed = await db.fetch(_RETIME, workspace_id, ahead, moved, [row["id"] for row in movable])
    if moved:
        await resume(db, "target", await _only_tests(db, list({row["account_id"] for row in movable})))
    await wake(
        db,
        "target",
        [row["account_id"] for row in retimed],
        workspace_id=workspace_id,
        platforms=[row["platform"] for row in retimed],
        due=[row["next_attempt_at"] for row in retimed],
    )


async def _only_tests(db: Db, account_ids: Sequence[UUID]) -> list[UUID]:
    """Return those of the accounts that only test posts wait for."""
    return [row["id"] for row in await db.fetch(_ONLY_TESTS, account_ids)]
