from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from uuid import UUID

from signalpost.kit import clock, ids
from signalpost.status import uptime
from signalpost.status.queries import UPTIME_DAYS, ComponentRow, DayRow, IncidentRow, SubscriberRow, UpdateRow
from signalpost.status.schemas import Component, ComponentList, Incident, IncidentUpdate, Subscriber, Uptime
from signalpost.status.states import worst


def component(row: ComponentRow, minutes: Sequence[int] = ()) -> Component:
    """Return a component; `minutes` by status are those of its last 90 days."""
    return Component(
        id=ids.encode("cmp", row.id),
        key=row.key,
        name=row.name,
        description=row.description,
        group=row.group_name,
        order=row.position,
        status=row.status,
        platform=row.platform,
        automatic=row.automatic,
        uptime90d=uptime.percent(minutes),
        updated_at=clock.wire(row.updated_at),
    )


def subscriber(row: SubscriberRow) -> Subscriber:
    """Return a subscriber as the staff see it."""
    components = row.component_ids
    return Subscriber(
        id=ids.encode("sub", row.id),
        channel="email" if row.url is None else "webhook",
        address=row.url or row.email or "",
        component_ids=None if components is None else [ids.encode("cmp", component_id) for component_id in components],
        status="active" if row.active else "pending_confirmation",
        failures=row.failures,
        last_heard_at=clock.wire_or_none(row.heard_at),
        created_at=clock.wire(row.created_at),
    )


def component_list(
    rows: Sequence[ComponentRow], minutes: Mapping[UUID, Sequence[int]], *, now: datetime
) -> ComponentList:
    """Return all components, and the worst status."""
    return ComponentList(
        data=[component(row, minutes.get(row.id, ())) for row in rows],
        overall=worst(row.status for row in rows),
        updated_at=clock.wire(max((row.updated_at for row in rows), default=now)),
    )


def incident(row: IncidentRow, updates: Sequence[UpdateRow]) -> Incident:
    """Return an incident with its updates, newest first."""
    return Incident(
        id=ids.encode("inc", row.id),
        title=row.title,
        kind=row.kind,
        status=row.status,
        impact=row.impact,
        component_ids=[ids.encode("cmp", component_id) for component_id in row.component_ids],
        updates=[update(entry) for entry in updates],
        started_at=clock.wire(row.started_at),
        scheduled_for=clock.wire_or_none(row.scheduled_for),
        scheduled_until=clock.wire_or_none(row.scheduled_until),
        resolved_at=clock.wire_or_none(row.ended_at),
        created_at=clock.wire(row.created_at),
        updated_at=clock.wire(row.updated_at),
    )


def update(row: UpdateRow) -> IncidentUpdate:
    """Return an update."""
    return IncidentUpdate(
        id=ids.encode("inu", row.id),
        status=row.status,
        body=row.body,
        created_at=clock.wire(row.created_at),
        author=row.author,
    )


def uptime_of(row: ComponentRow, days: Sequence[DayRow], incidents: Sequence[IncidentRow], *, today: date) -> Uptime:
    """Return the uptime of a component."""

    def over(length: int) -> float | None:
        return uptime.percent(uptime.together(day for day in days if day.day > today - timedelta(days=length)))

    return Uptime(
        component_id=ids.encode("cmp", row.id),
        days=uptime.calendar(days, incidents, component_id=row.id, today=today, length=UPTIME_DAYS),
        uptime90d=over(90),
        uptime30d=over(30),
        uptime7d=over(7),
    )
