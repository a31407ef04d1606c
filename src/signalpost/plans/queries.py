"""Reads: what a workspace uses of its plan."""

from datetime import date, datetime
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.kit.db import Db
from signalpost.kit.rows import columns, read_all, reader
from signalpost.plans.limits import LIMITS, Counted, Monthly
from signalpost.web.caller import Caller

ACCOUNTS_MAX: Final = 500

_SPENT = "select coalesce(sum(used), 0)::bigint from usage where workspace_id = $1 and metric = '{}' and period = $2"
_USAGE: Final = "select " + ",\n".join(
    f'({limit.sql if isinstance(limit, Counted) else _SPENT.format(limit.name)}) as "{limit.name}"'
    for limit in LIMITS
    if isinstance(limit, Counted | Monthly)
)


async def usage(db: Db, workspace_id: UUID, month: date) -> dict[str, int]:
    """Return every number that is counted or spent, by the limit's name. `month` is its first day, UTC."""
    row = await db.fetchrow(_USAGE, workspace_id, month)
    return {name: max(0, value) for name, value in (row or {}).items()}


_OVER_LIMIT: Final = """
select w.id, w.plan from workspace w where w.id in (
    select workspace_id from profile where over_limit and deleted_at is null
    union select workspace_id from account where over_limit
    union select workspace_id from member where over_limit
    union select workspace_id from webhook where disabled_reason = 'plan_limit' and deleted_at is null
) and ($1::uuid is null or w.id > $1) order by w.id limit $2
"""


async def over_limit(db: Db, *, after: UUID | None, limit: int) -> list[tuple[UUID, str]]:
    """Return workspaces, and their plans, that have something read-only which is more than the plan covers.

    In the order of their ids: `after` is the last one of the batch before.
    """
    return [(row[0], row[1]) for row in await db.fetch(_OVER_LIMIT, after, limit)]


async def plan_of(db: Db, workspace_id: UUID | None) -> tuple[UUID, str] | None:
    """Return a workspace that exists, and its plan."""
    row = await db.fetchrow("select id, plan from workspace where id = $1", workspace_id)
    return None if row is None else (row[0], row[1])


async def spent(db: Db, workspace_id: UUID, limit: Monthly, month: date) -> int:
    """Return how many units of a month are spent. `month` is its first day, UTC."""
    number: int = await db.fetchval(_SPENT.format(limit.name), workspace_id, month)
    return max(0, number)


async def count(db: Db, workspace_id: UUID, limit: Counted) -> int:
    """Return how many there are now."""
    number: int = await db.fetchval(limit.sql, workspace_id)
    return number


class AccountQuota(Struct):
    """How much one account published within 24 hours, and when the oldest of it stops counting."""

    account_id: UUID
    platform: str
    used: int
    limit: int | None
    resets_at: datetime


_QUOTA = columns(
    AccountQuota,
    "a",
    account_id="a.id",
    used="t.used",
    limit="a.daily_limit",
    resets_at="coalesce(t.oldest + interval '1 day', now())",
)
# The tables belong to rooms above: the quota of an account is a fact about what was published.
_QUOTAS = f"""
select {_QUOTA}
from account a
cross join lateral (
    select count(*) as used, min(published_at) as oldest from target
    where account_id = a.id and published_at > now() - interval '1 day'
) t
where a.workspace_id = $1 and a.status <> 'disconnected' and ($2::uuid[] is null or a.profile_id = any($2))
    and ($4 or a.platform = 'sandbox')
order by a.created_at desc, a.id desc
limit $3
"""  # noqa: S608 - columns of a struct
_read_quota = reader(AccountQuota)


async def account_quotas(db: Db, caller: Caller) -> list[AccountQuota]:
    """Return the daily quotas of the accounts that the caller may see, at most 500."""
    live = caller.mode == "live"
    return await read_all(db, _read_quota, _QUOTAS, caller.workspace_id, caller.sees_profiles, ACCOUNTS_MAX, live)
