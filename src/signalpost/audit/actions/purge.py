"""Deleting what is older than the plan keeps it, or of an erased workspace: the only ways in which history ends."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from signalpost.kit.db import Db

_PURGE: Final = """
select coalesce(sum(purge_audit(w.id, now() - make_interval(days => p.days), $3)), 0)::int
from unnest($1::text[], $2::int[]) as p(plan, days) join workspace w on w.plan = p.plan
"""


async def purge(db: Db, days_by_plan: Mapping[str, int], *, limit: int) -> int:
    """Delete the oldest entries of each workspace, at most `limit` of one; return how many there were."""
    purged: int = await db.fetchval(_PURGE, list(days_by_plan), list(days_by_plan.values()), limit)
    return purged


_PURGE_ALL: Final = "select purge_audit($1, now(), $2)"


async def purge_of_erased(db: Db, workspace_id: UUID, *, limit: int) -> int:
    """Delete the oldest entries of a workspace that is erased, at most `limit`; return how many there were.

    None is younger than 30 days: the database keeps those, and a workspace has been closed for that long.
    """
    purged: int = await db.fetchval(_PURGE_ALL, workspace_id, limit)
    return purged
