"""Pauses, which are the circuit breakers of this service: what is due and kept back, because a network asked for it.

An account, webhook or queue of jobs is a lane of the engine; an app at a network is a rate bucket.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal, NamedTuple
from uuid import UUID

from signalpost.admin.schemas import Pause, PauseEnd
from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.engine import buckets, wake
from signalpost.kit import clock, ids
from signalpost.kit.db import READ_SECONDS, Db
from signalpost.kit.wire import Listing
from signalpost.web.caller import Caller
from signalpost.web.paging import Page, keyset

# Only lanes with something due, and within a day: the index on their times gives them without those of next year.
_PAUSES: Final = """
(select l.key as id, l.not_before as until, l.kind, l.key::text as name, l.workspace_id, l.platform from lane l
    where l.kind in ('target', 'delivery', 'job') and l.owner is null and l.next_due_at <= now()
        and l.wake_at > now() + interval '1 second' and l.wake_at < now() + interval '1 day'
union all
select md5(b.key)::uuid, b.not_before, 'bucket', b.key, null, split_part(b.key, ':', 1) from rate_bucket b
    where b.not_before > now() + interval '1 second') p
"""
_LIST: Final = f"""
select p.id, p.until, p.kind, p.name, p.workspace_id, p.platform from {_PAUSES}
where {keyset("p.until", "p.id", first=1)}
"""  # noqa: S608 - constants only
_FIND: Final = f"""
select p.id, p.until, p.kind, p.name, p.workspace_id, p.platform from {_PAUSES} where p.id = $1
"""  # noqa: S608 - constants only
_KINDS: Final[Mapping[str, Literal["network", "account", "webhook", "jobs"]]] = {
    "target": "account",
    "delivery": "webhook",
    "job": "jobs",
    "bucket": "network",
}
_SUBJECTS: Final = {"target": "acc", "delivery": "whk"}


class PauseRow(NamedTuple):
    """A lane or bucket that is paused. `name`: the key of the bucket."""

    id: UUID
    until: datetime
    kind: str
    name: str
    workspace_id: UUID | None
    platform: str | None


async def find(db: Db, _caller: Caller, pause_id: UUID) -> PauseRow | None:
    """Return a pause that lasts."""
    record = await db.fetchrow(_FIND, pause_id, timeout=READ_SECONDS)
    return None if record is None else PauseRow(*record)


async def list_pauses(context: AppContext, page: Page) -> Listing[Pause]:
    """Return a page of the pauses of all workspaces, the longest first."""
    async with context.database.connection() as db:
        rows = [PauseRow(*record) for record in await db.fetch(_LIST, *page.bounds, timeout=READ_SECONDS)]
    return page.of(rows, _view, position=lambda row: (row.until, row.id))


async def end_pause(db: Db, caller: Caller, row: PauseRow) -> PauseEnd:
    """End a pause: what is due there is tried within a second or two."""
    if row.kind == "bucket":
        await buckets.resume(db, row.name)
    else:
        await wake.resume(db, row.kind, [row.id])
    pause_id = ids.encode("pau", row.id)
    entry = audit.Entry(workspace_id=audit.INSTALLATION, action="end_pause", actor=caller.actor, subject=pause_id)
    await audit.record(db, entry)
    return PauseEnd(id=pause_id)


def _view(row: PauseRow) -> Pause:
    prefix = _SUBJECTS.get(row.kind)
    return Pause(
        id=ids.encode("pau", row.id),
        kind=_KINDS[row.kind],
        subject=row.name if prefix is None else ids.encode(prefix, row.id),
        workspace_id=ids.encode_or_none("wsp", row.workspace_id),
        platform=row.platform,
        until=clock.wire(row.until),
    )
