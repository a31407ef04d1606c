"""Deleting what is older than the plan keeps it: the only way in which history ends."""

from collections.abc import Mapping
from typing import Final

from signalpost.kit.db import Db

_PURGE: Final = """
select coalesce(sum(purge_audit(w.id, now() - make_interval(days => p.days), $3)), 0)::int
from unnest($1::text[], $2::int[]) as p(plan, days) join workspace w on w.plan = p.plan
"""


async def purge(db: Db, days_by_plan: Mapping[str, int], *, limit: int) -> int:
    """Delete the oldest entries of each workspace, at most `limit` of one; return how many there were."""
    purged: int = await db.fetchval(_PURGE, list(days_by_plan), list(days_by_plan.values()), limit)
    return purged
