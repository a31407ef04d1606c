"""The audit log of posts. `write` adds the entries of a change that writes the whole post; all others come here."""

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from signalpost.events import Actor
from signalpost.kit import clock, ids, log, rows
from signalpost.kit.db import Db
from signalpost.posts.documents import AttemptRecord, Change
from signalpost.posts.rows import AuditRow, PostRow, PostSummary


class PostRef(NamedTuple):
    """A post of which only the ids are known."""

    id: UUID
    workspace_id: UUID


_AUDIT: Final = rows.names(AuditRow)
_RECORD: Final = f"""
insert into audit ({_AUDIT}) select {_AUDIT} from jsonb_populate_recordset(null::audit, $1)
"""  # noqa: S608 - names of columns only


def entry(
    post: PostRow | PostSummary | PostRef,
    action: str,
    actor: Actor,
    *,
    target_id: UUID | None = None,
    changes: list[Change] | None = None,
    attempt: AttemptRecord | None = None,
) -> AuditRow:
    """Return a new entry about the post, or about one of its targets."""
    return AuditRow(
        id=ids.new_id(),
        workspace_id=post.workspace_id,
        post_id=post.id,
        target_id=target_id,
        at=clock.actual(),
        action=action,
        actor=actor,
        changes=changes,
        attempt=attempt,
        request_id=log.request_id.get(),
        address=log.client_address.get(),
    )


async def record(db: Db, entries: Sequence[AuditRow]) -> None:
    """Write entries, in one statement."""
    if entries:
        await db.execute(_RECORD, entries)
