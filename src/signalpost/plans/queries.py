"""Reads: what is used. One statement of SQL per thing counted, the same for the limit and for the usage page."""

from datetime import date, datetime
from typing import Any, Final, Literal
from uuid import UUID

from msgspec import Struct

from signalpost.kit.db import Db
from signalpost.web.caller import Caller

Metric = Literal["profiles", "accounts", "scheduledPosts", "members", "apiKeys", "webhooks", "storageBytes"]
"""Things that are counted where they stand; spent units of a month (`posts`, `aiCaptions`) are in the ledger."""

ACCOUNTS_MAX: Final = 500

# These tables belong to rooms above. A count is a fact of the schema: asking each room for it would take a hook each,
# and a page of nine numbers nine statements.
COUNTS: Final[dict[str, str]] = {
    "profiles": "select count(*) from profile where workspace_id = $1 and deleted_at is null",
    "accounts": "select count(*) from account where workspace_id = $1 and status <> 'disconnected'",
    "scheduledPosts": "select count(*) from post where workspace_id = $1 and status = 'scheduled'"
    " and deleted_at is null",
    "members": "select count(*) from member where workspace_id = $1 and (status in ('active', 'suspended')"
    " or (status = 'invited' and expires_at > now()))",
    "apiKeys": "select count(*) from api_key where workspace_id = $1 and revoked_at is null"
    " and (expires_at is null or expires_at > now())",
    "webhooks": "select count(*) from webhook where workspace_id = $1 and deleted_at is null",
    "storageBytes": "select coalesce(sum(size_bytes), 0)::bigint from media"
    " where workspace_id = $1 and deleted_at is null",
}

_SPENT = "select coalesce(sum(used), 0)::bigint from usage where workspace_id = $1 and metric = '{}' and period = $2"
_USAGE: Final = "select " + ",\n".join(
    [f'({sql}) as "{metric}"' for metric, sql in COUNTS.items()]
    + [f'({_SPENT.format(metric)}) as "{metric}"' for metric in ("posts", "aiCaptions")]
)


async def usage_of(db: Db, workspace_id: UUID, month: date) -> dict[str, int]:
    """Return everything counted or spent, by its name on the wire. `month` is its first day, UTC."""
    row = await db.fetchrow(_USAGE, workspace_id, month)
    return {name: max(0, value) for name, value in (row or {}).items()}


async def count(db: Db, workspace_id: UUID, metric: Metric) -> int:
    """Return how many there are now."""
    found: int = await db.fetchval(COUNTS[metric], workspace_id)
    return found


class AccountQuota(Struct):
    """What one account published within 24 hours, and when the oldest of it stops counting."""

    account_id: UUID
    platform: str
    used: int
    limit: int | None
    resets_at: datetime


_QUOTAS = """
select a.id, a.platform, t.used, a.daily_limit, coalesce(t.oldest + interval '1 day', now())
from account a
cross join lateral (
    select count(*) as used, min(published_at) as oldest from target
    where account_id = a.id and published_at > now() - interval '1 day'
) t
where a.workspace_id = $1 and a.status <> 'disconnected' and ($2::uuid[] is null or a.profile_id = any($2))
order by a.created_at desc, a.id desc
limit $3
"""


async def quotas_of(db: Db, caller: Caller) -> list[AccountQuota]:
    """Return the platforms' daily quotas of the accounts the caller may see, at most 500."""
    rows: list[Any] = await db.fetch(_QUOTAS, caller.workspace_id, caller.sees_profiles, ACCOUNTS_MAX)
    return [AccountQuota(*row) for row in rows]
