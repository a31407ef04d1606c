"""Deleting what is older than the plan keeps it, or of an erased workspace: the only ways in which history ends."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from signalpost.kit.db import Db

_PURGE: Final = """
select w.id, purge_audit(w.id, now() - make_interval(days => p.days), $4)::int
from unnest($2::text[], $3::int[]) as p(plan, days) join workspace w on w.plan = p.plan
where w.id = any($1)
"""


async def purge(
    db: Db, workspace_ids: Sequence[UUID], days_by_plan: Mapping[str, int], *, limit: int
) -> dict[UUID, int]:
    """Delete the oldest entries of these workspaces, `limit` of one and what is left of the last seal.

    Return how many there were of each.
    """
    records = await db.fetch(_PURGE, workspace_ids, list(days_by_plan), list(days_by_plan.values()), limit)
    return {record[0]: record[1] for record in records}


_PURGE_ALL: Final = "select purge_audit($1, now(), $2)"


async def purge_of_erased(db: Db, workspace_id: UUID, *, limit: int) -> int:
    """Delete the oldest entries of a workspace that is erased, as `purge` does; return how many there were.

    None is younger than 30 days: the database keeps those, and a workspace has been closed for that long.
    """
    purged: int = await db.fetchval(_PURGE_ALL, workspace_id, limit)
    return purged
