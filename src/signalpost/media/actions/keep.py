"""Files that something other than a post uses: the sweep leaves them alone until they are released."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from signalpost.kit.db import Db
from signalpost.media.actions.sweep import UNUSED_DAYS

_KEEP: Final = """
update media set expires_at = null where workspace_id = $1 and id = any($2) and status = 'ready'
"""
_RELEASE: Final = """
update media set expires_at = now() + make_interval(days => $3)
where workspace_id = $1 and id = any($2) and status = 'ready' and expires_at is null
"""


async def keep_files(db: Db, workspace_id: UUID, media_ids: Sequence[UUID]) -> None:
    """Have the sweep never delete these files. Their owners still may."""
    if media_ids:
        await db.execute(_KEEP, workspace_id, media_ids)


async def release_files(db: Db, workspace_id: UUID, media_ids: Sequence[UUID]) -> None:
    """Have the sweep look at these files again, as at any that nothing may use."""
    if media_ids:
        await db.execute(_RELEASE, workspace_id, media_ids, UNUSED_DAYS)
