"""Published posts that their network no longer has."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from signalpost.events import Actor
from signalpost.kit.db import Db
from signalpost.posts.documents import Change
from signalpost.posts.states import sources
from signalpost.posts.write import audit
from signalpost.posts.write.audit import PostRef

_ACTOR: Final = Actor(type="system", id=None, name="analytics")
_MARK: Final = """
update target set status = 'removed', removed_at = now(), error = null, updated_at = now()
where id = any($1) and workspace_id = $2 and status = any($3) returning id, post_id
"""


async def mark_missing(db: Db, workspace_id: UUID, target_ids: Sequence[UUID]) -> None:
    """Write that these targets are no longer public: someone deleted them at the network."""
    records = await db.fetch(_MARK, target_ids, workspace_id, sources("removed"))
    change = [Change("status", "published", "removed")]
    await audit.record(
        db,
        [
            audit.entry(PostRef(post_id, workspace_id), "updated", _ACTOR, target_id=target_id, changes=change)
            for target_id, post_id in records
        ],
    )
