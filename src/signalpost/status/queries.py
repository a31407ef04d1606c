"""Reads: components, incidents with their updates, minutes by day, subscribers."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Final, TypeAlias
from uuid import UUID

from msgspec import Struct

from signalpost.kit.db import Db
from signalpost.kit.rows import columns, read_all, read_one, reader
from signalpost.status.states import ComponentStatus, Impact, IncidentKind, IncidentStatus
from signalpost.web.caller import Caller
from signalpost.web.fields import ComponentId
from signalpost.web.paging import keyset

COMPONENTS_MAX: Final = 200
ACTIVE_MAX: Final = 200
UPDATES_MAX: Final = 100
"""Of one incident."""
UPTIME_DAYS: Final = 90
Bounds: TypeAlias = tuple[datetime | None, UUID | None, int]


class ComponentRow(Struct):
    id: UUID
    key: str
    name: str
    description: str | None
    group_name: str | None
    position: int
    status: ComponentStatus
    platform: str | None
    automatic: bool
    updated_at: datetime


class IncidentRow(Struct):
    id: UUID
    title: str
    kind: IncidentKind
    status: IncidentStatus
    impact: Impact
    component_ids: list[UUID]
    component_status: ComponentStatus | None
    started_at: datetime
    scheduled_for: datetime | None
    scheduled_until: datetime | None
    ended_at: datetime | None
    created_at: datetime
    updated_at: datetime


class UpdateRow(Struct):
    id: UUID
    incident_id: UUID
    status: IncidentStatus
    body: str
    author: str
    created_at: datetime


class DayRow(Struct):
    """Minutes of a day by status, in the order of `COMPONENT_STATUSES`."""

    component_id: UUID
    day: date
    minutes: list[int]


class SubscriberRow(Struct):
    """Who is subscribed, without secrets. `heard_at`: when a webhook last took something, or said that it wants it."""

    id: UUID
    email: str | None
    url: str | None
    component_ids: list[UUID] | None
    active: bool
    failures: int
    heard_at: datetime | None
    created_at: datetime


_SUBSCRIBER: Final = columns(SubscriberRow)
_read_subscriber: Final = reader(SubscriberRow)
_SUBSCRIBERS: Final = f"select {_SUBSCRIBER} from status_subscriber where {keyset('created_at', 'id', first=1)}"  # noqa: S608
_SUBSCRIBER_BY_ID: Final = f"select {_SUBSCRIBER} from status_subscriber where id = $1 for update"  # noqa: S608


async def subscribers(db: Db, bounds: Bounds) -> list[SubscriberRow]:
    """Return the subscribers of a page, the newest first."""
    return await read_all(db, _read_subscriber, _SUBSCRIBERS, *bounds)


async def lock_subscriber(db: Db, _caller: Caller, subscriber_id: UUID) -> SubscriberRow | None:
    """Return a subscriber, locked."""
    return await read_one(db, _read_subscriber, _SUBSCRIBER_BY_ID, subscriber_id)


COMPONENT: Final = columns(ComponentRow)
INCIDENT: Final = columns(IncidentRow)
_UPDATE: Final = columns(UpdateRow)
read_component = reader(ComponentRow)
read_incident = reader(IncidentRow)
read_update = reader(UpdateRow)
_read_day = reader(DayRow)

_COMPONENTS = f"select {COMPONENT} from status_component order by position, name, id limit {COMPONENTS_MAX}"  # noqa: S608
_COMPONENT = f"select {COMPONENT} from status_component where id = $1 or key = $2"  # noqa: S608 - columns of a struct
_ACTIVE = f"""
select {INCIDENT} from status_incident where ended_at is null and {keyset("created_at", "id", first=1)}
"""  # noqa: S608 - columns of a struct
_RECENT = f"""
select {INCIDENT} from status_incident
where ended_at > now() - interval '30 days' and {keyset("ended_at", "id", first=1)}
"""  # noqa: S608 - columns of a struct
_OVERLAPPING = f"""
select {INCIDENT} from status_incident
where started_at < $2 and (ended_at is null or ended_at >= $1) and status <> 'scheduled'
order by created_at, id limit 2000
"""  # noqa: S608 - columns of a struct
_INCIDENT = f"select {INCIDENT} from status_incident where id = $1"  # noqa: S608 - columns of a struct
_UPDATES = f"""
select {_UPDATE} from status_update where incident_id = any($1) order by created_at desc, id desc
"""  # noqa: S608 - columns of a struct
_DAYS = """
select component_id, day, array[
    sampled[1] + filled[1], sampled[2] + filled[2], sampled[3] + filled[3], sampled[4] + filled[4],
    sampled[5] + filled[5]] as minutes
from status_day where day > $1 and ($2::uuid is null or component_id = $2) order by component_id, day
"""
_TOTALS = """
select component_id, array[
    sum(sampled[1] + filled[1])::int, sum(sampled[2] + filled[2])::int, sum(sampled[3] + filled[3])::int,
    sum(sampled[4] + filled[4])::int, sum(sampled[5] + filled[5])::int] as minutes
from status_day where day > $1 group by component_id
"""
_LAST_SAMPLE = "select max(sampled_at) from status_day where day > $1"
_UNKNOWN = "select id from unnest($1::uuid[]) as wanted(id) where id not in (select id from status_component)"


async def components(db: Db) -> list[ComponentRow]:
    """Return all components in their order."""
    return await read_all(db, read_component, _COMPONENTS)


async def component(db: Db, id_or_key: str) -> ComponentRow | None:
    """Return the component with this id or key."""
    return await read_one(db, read_component, _COMPONENT, ComponentId.parse(id_or_key), id_or_key)


async def unknown_components(db: Db, component_ids: Sequence[UUID]) -> set[UUID]:
    """Return which of these are the ids of no component."""
    return {row[0] for row in await db.fetch(_UNKNOWN, component_ids)} if component_ids else set()


async def active(db: Db, bounds: Bounds = (None, None, ACTIVE_MAX)) -> list[IncidentRow]:
    """Return the incidents that have not ended, and planned maintenance, newest first; `bounds` are of a `Page`."""
    return await read_all(db, read_incident, _ACTIVE, *bounds)


async def recent(db: Db, bounds: Bounds) -> list[IncidentRow]:
    """Return the incidents that ended within 30 days, last ended first; `bounds` are those of a `Page`."""
    return await read_all(db, read_incident, _RECENT, *bounds)


async def overlapping(db: Db, start: datetime, end: datetime) -> list[IncidentRow]:
    """Return the incidents that were active at some time from `start` until before `end`."""
    return await read_all(db, read_incident, _OVERLAPPING, start, end)


async def incident(db: Db, incident_id: UUID, *, lock: bool = False) -> IncidentRow | None:
    """Return an incident; with `lock`, until the end of the transaction nobody else changes it."""
    return await read_one(db, read_incident, _INCIDENT + (" for update" if lock else ""), incident_id)


async def updates(db: Db, incidents: Sequence[IncidentRow]) -> dict[UUID, list[UpdateRow]]:
    """Return the updates of some incidents, newest first."""
    by_incident: dict[UUID, list[UpdateRow]] = {row.id: [] for row in incidents}
    for row in await db.fetch(_UPDATES, list(by_incident)) if by_incident else ():
        update = read_update(row)
        by_incident[update.incident_id].append(update)
    return by_incident


async def totals(db: Db, after: date) -> dict[UUID, list[int]]:
    """Return the minutes of each component by status, all days after a date together."""
    return {row[0]: row[1] for row in await db.fetch(_TOTALS, after)}


async def days(db: Db, after: date, component_id: UUID | None = None) -> dict[UUID, list[DayRow]]:
    """Return the minutes of each component by day, after a date."""
    by_component: dict[UUID, list[DayRow]] = {}
    for row in await db.fetch(_DAYS, after, component_id):
        by_component.setdefault(row[0], []).append(_read_day(row))
    return by_component


async def last_sample(db: Db, after: date) -> datetime | None:
    """Return the newest minute that was recorded after a date."""
    minute: datetime | None = await db.fetchval(_LAST_SAMPLE, after)
    return minute
