"""Rows of the nightly comparison: how far it came, and what workspaces have."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from signalpost.billing.catalog import OFFERS
from signalpost.billing.states import Status
from signalpost.kit.db import Db


class Progress(NamedTuple):
    """A comparison that is under way: when it began, and the last subscription that was compared."""

    since: datetime
    after: str | None


class Had(NamedTuple):
    """What a workspace has by its subscription, and the plan that it has in fact."""

    workspace_id: UUID
    customer_id: str
    remote_id: str | None
    status: Status
    plan: str | None
    plan_in_force: str | None
    workspace_plan: str
    is_stray: bool


_RANKS: Final = {offer.key: rank for rank, offer in enumerate(OFFERS)}
_BEGIN: Final = """
update billing_provider set comparing_since = coalesce(comparing_since, $1)
where comparing_since is not null or coalesce(compared_at < $2, true)
returning comparing_since, compared_to
"""
_GO_ON: Final = "update billing_provider set compared_to = $1"
_END: Final = "update billing_provider set compared_at = $1, compared_to = null, comparing_since = null"
_HAD: Final = """
select s.workspace_id, s.customer_id, s.remote_id, s.status, s.plan, s.plan_in_force, w.plan,
    s.closed_at is not null or s.payer_left_at is not null
from subscription s join workspace w on w.id = s.workspace_id
"""
_HAD_BY: Final = f"{_HAD} where s.customer_id = any($1::text[])"
_MARK: Final = "update subscription set compared_at = $2 where remote_id = any($1::text[])"
_UNNAMED: Final = f"""
{_HAD} where s.status in ('trialing', 'active', 'past_due', 'cancelled') and greatest(s.compared_at, s.read_at) < $1
order by s.workspace_id limit $2
"""


def is_served(had: Had) -> bool:
    """Whether a workspace has the plan that its subscription gives; an operator may have given it a larger one."""
    return _RANKS.get(had.workspace_plan, len(_RANKS)) >= _RANKS.get(had.plan_in_force or "", 0)


async def begin(db: Db, now: datetime, *, due: datetime) -> Progress | None:
    """Begin a comparison, or go on with it; None if the last one ended after it was `due`."""
    record = await db.fetchrow(_BEGIN, now, due)
    return None if record is None else Progress(record[0], record[1])


async def go_on(db: Db, after: str) -> None:
    """Note how far it came."""
    await db.execute(_GO_ON, after)


async def end(db: Db, now: datetime) -> None:
    """Note that it ended."""
    await db.execute(_END, now)


async def had_by(db: Db, customer_ids: Sequence[str]) -> dict[str, Had]:
    """Return what these customers have, by customer; those that are not ours are missing."""
    return {row[1]: Had(*row) for row in await db.fetch(_HAD_BY, customer_ids)}


async def mark(db: Db, remote_ids: Sequence[str], now: datetime) -> None:
    """Note that Stripe named these subscriptions."""
    await db.execute(_MARK, remote_ids, now)


async def unnamed(db: Db, since: datetime, *, limit: int) -> list[Had]:
    """Return workspaces that are served by a subscription which was not named since then."""
    return [Had(*row) for row in await db.fetch(_UNNAMED, since, limit)]
