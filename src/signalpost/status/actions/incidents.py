"""Declare incidents, announce maintenance, and say what is new."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final
from uuid import UUID

from signalpost.kit import clock, ids, issue_text, problems
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.status import queries, views
from signalpost.status.actions import components, notify
from signalpost.status.queries import INCIDENT, UPDATES_MAX, IncidentRow, read_incident
from signalpost.status.schemas import Incident, IncidentCreate, IncidentUpdateCreate
from signalpost.status.states import (
    ENDS,
    OF_IMPACT,
    STATUSES_OF,
    ComponentStatus,
    Impact,
    IncidentKind,
    IncidentStatus,
    fits,
    may_follow,
)
from signalpost.web.caller import Caller
from signalpost.web.fields import ComponentId, IncidentId

SYSTEM: Final = "Signalpost"
STAFF: Final = "Staff"
_INSERT = f"""
insert into status_incident (id, title, kind, status, impact, component_ids, component_status, started_at,
    scheduled_for, scheduled_until, ended_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning {INCIDENT}
"""  # noqa: S608 - columns of a struct
_CHANGE = f"""
update status_incident set status = $2, impact = $3, component_status = $4, started_at = $5, ended_at = $6,
    updated_at = now() where id = $1 returning {INCIDENT}
"""  # noqa: S608 - columns of a struct
_UPDATE = """
insert into status_update (id, incident_id, status, body, author, created_at)
values ($1, $2, $3, $4, $5, clock_timestamp())
"""
_COUNT_ACTIVE = "select count(*) from status_incident where ended_at is null"
_DUE = """
select id from status_incident where kind = 'maintenance' and status = 'scheduled' and scheduled_for <= now()
order by id limit 100
"""


async def create(db: Db, caller: Caller, data: IncidentCreate) -> Incident:
    """Declare an incident or announce maintenance, with its first update.

    Raises:
        ValidationFailed: a status of the other kind, times that do not fit, or unknown components.
        TooManyItems: as many are active as can be shown.
    """
    await components.lock(db)
    status = data.status or STATUSES_OF[data.kind][0]
    unknown = await queries.unknown_components(db, data.component_ids)
    issues = [
        ComponentId.not_found(f"/componentIds/{index}")
        for index, component_id in enumerate(data.component_ids)
        if component_id in unknown
    ]
    if issues := [*issues, *_issues_of(data, status)]:
        raise problems.ValidationFailed(errors=issues)
    if await db.fetchval(_COUNT_ACTIVE) >= queries.ACTIVE_MAX:
        raise problems.TooManyItems("There are too many active incidents. End some of them first.")
    now = clock.actual()
    started_at = data.scheduled_for if status == "scheduled" and data.scheduled_for else now
    held = data.component_status or _default_status(data.kind, data.impact)
    chosen = list(dict.fromkeys(UUID(int=component_id.int) for component_id in data.component_ids))
    [record] = await db.fetch(
        _INSERT, ids.new_id(), data.title, data.kind, status, data.impact, chosen, held, started_at,
        data.scheduled_for, data.scheduled_until, now if status in ENDS else None,
    )  # fmt: skip
    return await _say(db, read_incident(record), body=data.body, author=author_of(caller), tell=data.notify)


async def add_update(db: Db, caller: Caller, incident_id: UUID, data: IncidentUpdateCreate) -> Incident:
    """Say what is new of an incident.

    Raises:
        NotFound: there is no such incident.
        ValidationFailed: the status is one of the other kind.
        InvalidState: it has ended, and this does not open it again, or it ended more than a day ago.
        TooManyItems: it has as many updates as an incident can have.
    """
    await components.lock(db)
    row = await queries.incident(db, incident_id, lock=True)
    if row is None:
        raise problems.NotFound(IncidentId.not_found_detail(ids.encode("inc", incident_id)))
    if not fits(row.kind, data.status):
        raise problems.ValidationFailed(errors=[issue_text.not_allowed("/status", data.status, STATUSES_OF[row.kind])])
    now = clock.actual()
    if not may_follow(row.status, data.status, ended_at=row.ended_at, now=now):
        raise problems.InvalidState(
            f"This {row.kind} is {row.status}."
            + (" It can be opened again within 24 hours only." if data.status not in ENDS else ""),
            remediation="Open it again with another status within 24 hours of its end, or create a new one.",
        )
    if len((await queries.updates(db, [row]))[row.id]) >= UPDATES_MAX:
        raise problems.TooManyItems(f"An incident can have at most {UPDATES_MAX} updates. Create a new one.")
    impact = data.impact or row.impact
    held = data.component_status or (row.component_status if data.impact is None else _default_status(row.kind, impact))
    row = await _change(db, row, data.status, impact=impact, held=held, now=now)
    return await _say(db, row, body=data.body, author=author_of(caller), tell=data.notify)


async def begin_maintenance(db: Db) -> int:
    """Begin the maintenance whose time has come; return how many there were."""
    due = [row[0] for row in await db.fetch(_DUE)]
    if due:
        await components.lock(db)
    for incident_id in due:
        row = await queries.incident(db, incident_id, lock=True)
        if row is not None and row.status == "scheduled":
            row = await _change(
                db, row, "in_progress", impact=row.impact, held=row.component_status, now=clock.actual()
            )
            await _say(db, row, body="The maintenance has begun.", author=SYSTEM, tell=True)
    return len(due)


async def _change(
    db: Db, row: IncidentRow, status: IncidentStatus, *, impact: Impact, held: ComponentStatus | None, now: datetime
) -> IncidentRow:
    begins = row.status == "scheduled" and status not in ("scheduled", *ENDS)
    ended_at = (row.ended_at or now) if status in ENDS else None
    started_at = now if begins else row.started_at
    [record] = await db.fetch(_CHANGE, row.id, status, impact, held, started_at, ended_at)
    return read_incident(record)


async def _say(db: Db, row: IncidentRow, *, body: str, author: str, tell: bool) -> Incident:
    """Write the update, give the components their status, and tell subscribers."""
    await db.execute(_UPDATE, ids.new_id(), row.id, row.status, body, author)
    await components.settle(db, row.component_ids, ended=row.status in ENDS, tell=tell)
    updates = await queries.updates(db, [row])
    view = views.incident(row, updates[row.id])
    if tell:
        await notify.incident(db, view, row.component_ids)
    return view


def _issues_of(data: IncidentCreate, status: IncidentStatus) -> Iterator[Issue]:
    if not fits(data.kind, status):
        yield issue_text.not_allowed("/status", status, STATUSES_OF[data.kind])
    times = {"/scheduledFor": data.scheduled_for, "/scheduledUntil": data.scheduled_until}
    if data.kind == "incident":
        for path in (path for path, time in times.items() if time is not None):
            yield Issue(path, "not_allowed", "Only maintenance has a planned time.")
        return
    if data.scheduled_for is None and status == "scheduled":
        yield Issue("/scheduledFor", "required", "Say when the maintenance begins.")
    if data.scheduled_until is not None and data.scheduled_until <= (data.scheduled_for or clock.actual()):
        yield Issue("/scheduledUntil", "out_of_range", "Must be later than the begin of the maintenance.")


def _default_status(kind: IncidentKind, impact: Impact) -> ComponentStatus | None:
    return "under_maintenance" if kind == "maintenance" else OF_IMPACT[impact]


def author_of(caller: Caller) -> str:
    """Return the name under which a member of the staff is shown in public; never an address."""
    return STAFF if not caller.user_name or "@" in caller.user_name else caller.user_name
