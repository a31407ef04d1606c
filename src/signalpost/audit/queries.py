"""Reading the audit log of a workspace."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from signalpost.audit.documents import Change
from signalpost.audit.schemas import AuditQuery
from signalpost.events import Actor
from signalpost.kit import ids, rows
from signalpost.kit.db import READ_SECONDS, Db
from signalpost.web.caller import Caller
from signalpost.web.paging import Page


class AuditLogRow(Struct):
    """A row of `audit`, without what only the log of a post shows. Its id tells when it was written."""

    id: UUID
    at: datetime
    action: str
    actor: Actor
    post_id: UUID | None
    target_id: UUID | None
    subject: str | None
    changes: list[Change] | None
    address: str | None
    request_id: str | None
    written_at: datetime


_COLUMNS: Final = rows.columns(AuditLogRow, "a", written_at="time_of_id(a.id)")
_LIST: Final = f"""
select {_COLUMNS} from audit a
where a.workspace_id = $1 and a.id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    and ($4::text is null or a.action = $4) and ($5::text is null or a.actor ->> 'id' = $5)
    and ($6::text is null or a.subject = $6 or a.post_id = $7)
    and ($8::text is null or a.actor ->> 'type' = $8)
    and ($9::text is null or left(a.subject, length($9) + 1) = $9 || '_' or ($9 = 'pst' and a.post_id is not null))
    and a.id >= coalesce($10::uuid, '00000000-0000-0000-0000-000000000000')
    and a.id < coalesce($11::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    and ($12::timestamptz is null or a.at >= $12) and ($13::timestamptz is null or a.at < $13)
order by a.id desc limit $3
"""  # noqa: S608 - constants only
_read: Final = rows.reader(AuditLogRow)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST: Final = datetime(9999, 1, 1, tzinfo=UTC)
_APART: Final = timedelta(minutes=10)
"""So far, the time of an entry and that in its id may be apart: ids are made by the clock of a machine."""


async def page_of(db: Db, caller: Caller, query: AuditQuery, page: Page) -> list[AuditLogRow]:
    """Return a page of the workspace's audit log, newest first."""
    _, after_id, limit = page.bounds
    parameters: list[Any] = [
        query.action,
        query.actor_id,
        query.subject,
        ids.decode("pst", query.subject or ""),
        query.actor_type,
        query.subject_type,
        _first_id(query.from_, -_APART),
        _first_id(query.to, _APART),
        query.from_,
        query.to,
    ]
    records = await db.fetch(_LIST, caller.workspace_id, after_id, limit, *parameters, timeout=READ_SECONDS)
    return [_read(record) for record in records]


def _first_id(instant: datetime | None, apart: timedelta) -> UUID | None:
    """Return a bound of the ids of entries of this instant; the index reads by id, the instants decide."""
    if instant is None:
        return None
    return ids.first_at(min(max(instant, _EPOCH + _APART), _LATEST) + apart)
