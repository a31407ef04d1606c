"""Reading what changed, from the history that every change writes."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, Literal, NamedTuple
from uuid import UUID

from signalpost.kit.db import READ_SECONDS, Db


class Change(NamedTuple):
    """An entry of history. Of a post that is gone for good, neither profile nor mode are known."""

    id: UUID
    workspace_id: UUID
    type: str
    subject: str | None
    post_id: UUID | None
    target_id: UUID | None
    profile_id: UUID | None
    mode: Literal["live", "test"] | None


_COLUMNS: Final = "a.id, a.workspace_id, a.action, a.subject, a.post_id, a.target_id, p.profile_id, p.mode"
_FROM: Final = "from audit a left join post p on p.id = a.post_id"
# For each workspace by itself, so that each is a short walk along the end of the primary key.
_NEWEST: Final = f"""
select {_COLUMNS} from unnest($1::uuid[], $2::integer[]) as w(id, most) cross join lateral (
    select * from audit where workspace_id = w.id and id > $3 order by id desc limit w.most
) a left join post p on p.id = a.post_id order by a.id
"""  # noqa: S608 - constants only
_SINCE: Final = f"""
select {_COLUMNS} {_FROM} where a.workspace_id = $1 and a.id > $2 order by a.id limit $3
"""


_HORIZON: Final = "select least(now(), oldest_write())"
_HORIZON_WITH_PLACES: Final = "select least(now(), oldest_write()), hold_stream_places($1, $2, $3, true, $4, $5)"
_TAKE_PLACES: Final = "select hold_stream_places($1, $2, $3, false, $4, $5)"


async def horizon(db: Db) -> datetime:
    """Return since when all that was written can be seen by statements that follow: the begin of the oldest write."""
    begin: datetime = await db.fetchval(_HORIZON)
    return begin


async def horizon_with_places(
    db: Db, process_id: UUID, streams: Mapping[UUID, int], *, most: int, seconds: float
) -> tuple[datetime, Mapping[UUID, int]]:
    """Return the horizon, and how many streams of each owner the process may have, which has these and no others.

    All processes together have at most `most` of an owner; what this one states counts for `seconds`.
    """
    row = await db.fetchrow(_HORIZON_WITH_PLACES, process_id, list(streams), list(streams.values()), most, seconds)
    assert row is not None  # noqa: S101 - it has no table
    return row[0], dict(zip(streams, row[1], strict=True))


async def take_places(
    db: Db, process_id: UUID, streams: Mapping[UUID, int], *, most: int, seconds: float
) -> Mapping[UUID, int]:
    """Return how many streams of these owners the process may have, which wants as many. See `horizon_with_places`."""
    granted = await db.fetchval(_TAKE_PLACES, process_id, list(streams), list(streams.values()), most, seconds)
    return dict(zip(streams, granted, strict=True))


async def newest(db: Db, limits: Mapping[UUID, int], since: UUID) -> Sequence[Change]:
    """Return the changes after `since`, oldest first: of each workspace the newest, at most its limit."""
    records = await db.fetch(_NEWEST, list(limits), list(limits.values()), since, timeout=READ_SECONDS)
    return [Change(*record) for record in records]


async def since(db: Db, workspace_id: UUID, after: UUID, limit: int) -> Sequence[Change]:
    """Return the first changes of a workspace after one of them."""
    return [Change(*record) for record in await db.fetch(_SINCE, workspace_id, after, limit, timeout=READ_SECONDS)]
