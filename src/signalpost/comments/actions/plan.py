"""The schedule: which targets are asked for their comments, and when."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from signalpost import networks
from signalpost.engine import jobs
from signalpost.kit.db import Db

COLLECT: Final = "comments.collect"
KEY: Final = f"{COLLECT}/"
ACCOUNTS: Final = 500
"""How many accounts one transaction looks at for what was missed."""
ROWS: Final = 2_000
SHARE_MIN: Final = 100
"""How many missed posts of an account one transaction adds at least: few accounts have missed any."""
FREQUENCIES: Final = (
    (timedelta(hours=1), timedelta(minutes=5)),
    (timedelta(days=1), timedelta(hours=1)),
    (timedelta(days=30), timedelta(days=1)),
)
"""Up to which age of a post it is asked for how often; an older one is not asked for any more."""
FORGOTTEN_AFTER: Final = timedelta(days=32)
"""The age at which it is forgotten when its post was asked for the last time, if the row of a post outlives that."""

# Nobody has read a post within the first minute that there is. Visitors of the sandbox are there at once.
_INSERT: Final = """
insert into comment_source (target_id, workspace_id, account_id, published_at, next_attempt_at)
select t.id, t.workspace_id, t.account_id, t.published_at, greatest(now(),
    t.published_at + case when t.platform = 'sandbox' then interval '0' else interval '1 minute' end)
"""
_ADD: Final = f"""{_INSERT}
from target t where t.id = any($1) and t.status = 'published' and t.delivery = 'live' and t.remote_id is not null
    and t.published_at > now() - interval '30 days'
on conflict (target_id) do nothing
"""
_ACCOUNTS: Final = "select id from account where id > $1 order by id limit $2"
_BEGINNING: Final = UUID(int=0)
# By the index of targets by account and time. An account that has more than its share goes on in its next turn.
_ADD_MISSED: Final = f"""with added as ({_INSERT}
from account a cross join lateral (
    select id, workspace_id, account_id, platform, published_at from target t
    where account_id = a.id and published_at > now() - interval '1 day' and status = 'published'
        and delivery = 'live' and remote_id is not null
        and not exists (select from comment_source s where s.target_id = t.id)
    order by published_at desc limit $3) t
where a.id = any($1) and a.platform = any($2) and a.last_published_at > now() - interval '1 day'
on conflict (target_id) do nothing
returning account_id)
select account_id from added group by account_id having count(*) >= $3
"""  # noqa: S608 - constants only
# A post that is over is gone from here, too. What was pushed while a look was under way may not have been seen by it.
_WRITE_LOOKS: Final = """
with looked as materialized (
    select * from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::int[])
        as l(target_id, next_at, read_at, listed)
), over as (
    delete from comment_source s using looked l where s.target_id = l.target_id and l.next_at is null
)
update comment_source s set
    next_attempt_at = case when s.next_attempt_at > l.read_at then least(s.next_attempt_at, l.next_at)
        else l.next_at end,
    read_at = coalesce(l.read_at, s.read_at), listed = l.listed, failures = 0, last_error = null
from looked l where s.target_id = l.target_id and l.next_at is not null
"""


class Looked(NamedTuple):
    """What becomes of a post that was looked at, or that need not be. `next_at` None: it is over."""

    target_id: UUID
    next_at: datetime | None
    read_at: datetime | None = None
    listed: int = 0


def platforms() -> list[str]:
    """Return the networks whose connectors read comments."""
    return [key for key in networks.PLATFORMS if (connector := networks.get(key)) and connector.comments]


async def add(db: Db, target_ids: Sequence[UUID]) -> None:
    """Have the comments of targets collected that were published in this transaction."""
    await db.execute(_ADD, target_ids)


async def accounts(db: Db, after: UUID | None, limit: int) -> Sequence[UUID]:
    """Return the next accounts after this one."""
    return [record[0] for record in await db.fetch(_ACCOUNTS, after or _BEGINNING, limit)]


async def add_missed(db: Db, positions: Mapping[UUID, None], share: int) -> Mapping[UUID, None]:
    """Add what these accounts published while nothing here listened: an older version, or with comments off.

    Returns the accounts that have more.
    """
    rows = await db.fetch(_ADD_MISSED, list(positions), platforms(), max(share, SHARE_MIN))
    return {record[0]: None for record in rows}


async def enqueue(db: Db, account_id: UUID, workspace_id: UUID, run_at: datetime | None = None) -> None:
    """Write the job that asks for what is due on an account by itself; of several at once there is one."""
    await jobs.enqueue(
        db, COLLECT, {"account_id": str(account_id)}, unique_key=f"{KEY}{account_id}", workspace_id=workspace_id,
        run_at=run_at,
    )  # fmt: skip


async def write_looks(db: Db, looked: Sequence[Looked]) -> None:
    """Write when each of these posts is asked for again, in one statement; in the order of their rows' key."""
    if looked:
        await db.execute(_WRITE_LOOKS, *(list(column) for column in zip(*sorted(looked), strict=True)))


def next_at(published_at: datetime, now: datetime) -> datetime | None:
    """Return when a post is asked for its comments again; None: not any more."""
    age = now - published_at
    return next((now + every for until, every in FREQUENCIES if age < until), None)


def at_the_end(target_id: UUID, published_at: datetime, now: datetime) -> Looked:
    """Return what becomes of a post that is not there any more. Its row stays: otherwise it would be added again."""
    forgotten_at = published_at + FORGOTTEN_AFTER
    return Looked(target_id, forgotten_at if forgotten_at > now else None)
