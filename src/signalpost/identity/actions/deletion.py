"""The row of a workspace that is deleted: it stays as the name of what is kept."""

from datetime import datetime
from typing import Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.identity.caller_cache import CallerCache
from signalpost.kit.db import Db

_DELETE: Final = "update workspace set deleted_at = now(), updated_at = now() where id = $1 returning deleted_at"
_RESTORE: Final = """
update workspace set deleted_at = null, updated_at = now()
where id = $1 and deleted_at is not null and erased_at is null returning plan
"""
_IS_DELETED: Final = "select deleted_at is not null from workspace where id = $1 for share"
_EXPIRED: Final = """
select id from workspace where deleted_at < now() - make_interval(days => $1) and erased_at is null
order by deleted_at limit $2
"""
_ERASE: Final = """
update workspace set erased_at = now(), name = '', slug = id::text, redirect_urls = '{}', updated_at = now()
where id = $1 and deleted_at is not null
"""


async def mark_deleted(context: AppContext, db: Db, workspace_id: UUID) -> datetime:
    """Close the workspace to all its credentials; return when."""
    deleted_at: datetime = await db.fetchval(_DELETE, workspace_id)
    context.state(CallerCache).invalidate(workspace_id)
    return deleted_at


async def is_deleted(db: Db, workspace_id: UUID) -> bool:
    """Whether the workspace is deleted; the row stays so until the transaction ends."""
    return bool(await db.fetchval(_IS_DELETED, workspace_id))


async def unmark_deleted(context: AppContext, db: Db, workspace_id: UUID) -> str | None:
    """Open the workspace again; return its plan, or None if it is not deleted or is erased."""
    plan: str | None = await db.fetchval(_RESTORE, workspace_id)
    context.state(CallerCache).invalidate(workspace_id)
    return plan


async def deleted_before(db: Db, *, days: int, limit: int) -> list[UUID]:
    """Return workspaces that were deleted so many days ago and are not erased, the longest ago first."""
    return [record["id"] for record in await db.fetch(_EXPIRED, days, limit)]


async def mark_erased(db: Db, workspace_id: UUID) -> None:
    """Note that nothing is left but this row, and take the names off it."""
    await db.execute(_ERASE, workspace_id)
