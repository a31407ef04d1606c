"""The service status over HTTP: public reads, subscriptions, and what the staff may do."""

from datetime import date, timedelta
from typing import Annotated

from signalpost.context import AppContext
from signalpost.kit import clock, problems
from signalpost.kit.db import Db
from signalpost.kit.problems import HostNotFound, InvalidState, NotFound, TooManyItems, UnsafeAddress
from signalpost.kit.wire import Listing
from signalpost.status import queries, views
from signalpost.status.actions import components, incidents, samples, subscribers
from signalpost.status.actions.subscribers import NewWebhook
from signalpost.status.queries import UPTIME_DAYS, SubscriberRow
from signalpost.status.schemas import (
    Backfill,
    Component,
    ComponentList,
    ComponentStatusUpdate,
    ComponentUpsert,
    Incident,
    IncidentCreate,
    IncidentUpdateCreate,
    StatusSubscribe,
    StatusUnsubscribe,
    Subscriber,
    Subscription,
    SubscriptionState,
    Uptime,
    UptimeBackfill,
)
from signalpost.web.caller import PUBLIC, Caller
from signalpost.web.fields import ComponentId, IncidentId, SubscriberId
from signalpost.web.inputs import Mine, Segment
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.routing import Routes

routes = Routes("Service status")
EVERYTHING = UptimeBackfill()

ComponentName = Annotated[str, Segment("componentId", "The id or key of a component.", "api")]
AnySubscriber = Annotated[SubscriberRow, Mine(SubscriberId, queries.lock_subscriber)]
ComponentToSet = Annotated[str, Segment("id", "The id or key of a component.", "api")]


@routes.get("/status/components", scope=PUBLIC)
async def list_components(db: Db) -> ComponentList:
    """List the components of the service with their status and their uptime over 90 days."""
    today = clock.actual().date()
    minutes = await queries.totals(db, today - timedelta(days=UPTIME_DAYS))
    return views.component_list(await queries.components(db), minutes, now=clock.actual())


@routes.get("/status/incidents/active", scope=PUBLIC, limit_default=LIST_ALL)
async def list_active_incidents(db: Db, page: Page) -> Listing[Incident]:
    """List incidents that have not ended, and planned maintenance, newest first."""
    rows = await queries.active(db, page.bounds)
    updates = await queries.updates(db, rows)
    return page.of(rows, lambda row: views.incident(row, updates[row.id]))


@routes.get("/status/incidents/recent", scope=PUBLIC)
async def list_recent_incidents(db: Db, page: Page) -> Listing[Incident]:
    """List incidents and maintenance that ended within 30 days, last ended first."""
    rows = await queries.recent(db, page.bounds)
    updates = await queries.updates(db, rows)
    return page.of(
        rows,
        lambda row: views.incident(row, updates[row.id]),
        position=lambda row: (row.ended_at or row.created_at, row.id),
    )


@routes.get("/status/uptime/{componentId}", scope=PUBLIC, raises=(NotFound,))
async def get_uptime(db: Db, component_id: ComponentName) -> Uptime:
    """Return the uptime of a component: each of the last 90 days in UTC, and 7, 30 and 90 days together.

    It comes from one sample a minute. A minute of major outage counts as down, one of partial outage as 0.3 down;
    degraded performance and maintenance count as up. Days without samples are null.
    """
    row = await queries.component(db, component_id)
    if row is None:
        raise components.unknown(component_id)
    now = clock.actual()
    days = await queries.days(db, now.date() - timedelta(days=UPTIME_DAYS), row.id)
    overlapping = await queries.overlapping(db, now - timedelta(days=UPTIME_DAYS), now)
    return views.uptime_of(row, days.get(row.id, []), overlapping, today=now.date())


@routes.post(
    "/status/subscribe",
    scope=PUBLIC,
    across_workspaces=True,
    bucket="login",
    history="nothing",
    raises=(InvalidState, UnsafeAddress, HostNotFound),
    example={"webhookUrl": "https://example.com/hooks/status"},
)
async def subscribe_to_status(
    context: AppContext, db: Db, data: StatusSubscribe, webhook: Annotated[NewWebhook | None, subscribers.BEFORE]
) -> Subscription:
    """Subscribe to incidents, maintenance and changes of components.

    An e-mail address gets a link to confirm first, at most three times an hour; the response is the same for every
    address. A webhook gets one signed delivery of the type `status.confirm`: with its `data.token`, sent to
    `POST /status/subscriptions/confirm` within an hour, the receiver says that it wants news, and gets none before. The
    `token` of the response ends the subscription. Of many webhooks in one place, the one that was heard least gives
    way.
    """
    return await subscribers.subscribe(context, db, data, webhook)


@routes.post(
    "/status/subscriptions/confirm",
    scope=PUBLIC,
    across_workspaces=True,
    status=200,
    bucket="login",
    history="nothing",
    raises=(NotFound,),
)
async def confirm_status_subscription(context: AppContext, db: Db, data: StatusUnsubscribe) -> SubscriptionState:
    """Confirm a subscription, with the token of its first mail or of the delivery `status.confirm` to its webhook."""
    return await subscribers.confirm(context, db, data.token)


@routes.post(
    "/status/subscriptions/unsubscribe",
    scope=PUBLIC,
    across_workspaces=True,
    status=200,
    bucket="login",
    history="nothing",
    raises=(NotFound,),
)
async def unsubscribe_from_status(context: AppContext, db: Db, data: StatusUnsubscribe) -> SubscriptionState:
    """End a subscription, with the token of any of its mails or of the response that created it."""
    return await subscribers.unsubscribe(context, db, data.token)


@routes.post("/status/admin/backfill-uptime", scope="instance:admin", across_workspaces=True)
async def backfill_uptime(db: Db, data: UptimeBackfill = EVERYTHING) -> Backfill:
    """Fill the minutes that were not recorded: up where no incident was active, else what the incident says.

    Recorded minutes stay as they are; doing it again gives the same.
    """
    now = clock.actual()
    first, last = _range(data, now.date())
    rows = await queries.components(db)
    if data.component_id is not None:
        rows = [row for row in rows if row.id == data.component_id]
        if not rows:
            raise problems.ValidationFailed(errors=[ComponentId.not_found("/componentId")])
    written = await samples.backfill(db, rows, first, last, now)
    return Backfill(days_written=written, components=len(rows))


def _range(data: UptimeBackfill, today: date) -> tuple[date, date]:
    """Return the first and last day.

    Raises:
        ValidationFailed: they are no dates, in the future, in the wrong order, or further back than 90 days.
    """
    days = {"/from": today - timedelta(days=UPTIME_DAYS - 1), "/to": today}
    for path, text in (("/from", data.from_), ("/to", data.to)):
        try:
            days[path] = days[path] if text is None else date.fromisoformat(text)
        except ValueError:
            raise problems.invalid(path, "format", "There is no such day.") from None
    first, last = days["/from"], days["/to"]
    if not today - timedelta(days=UPTIME_DAYS - 1) <= first <= today:
        raise problems.invalid("/from", "out_of_range", f"Must be one of the last {UPTIME_DAYS} days.")
    if not first <= last <= today:
        raise problems.invalid("/to", "out_of_range", "Must not be before `from` or after today.")
    return first, last


@routes.get("/status/admin/subscribers", scope="instance:admin", across_workspaces=True)
async def list_status_subscribers(db: Db, page: Page) -> Listing[Subscriber]:
    """List who is subscribed to the service status, newest first. For staff."""
    rows = await queries.subscribers(db, page.bounds)
    return page.of(rows, views.subscriber, position=lambda row: (row.created_at, row.id))


@routes.delete(
    "/status/admin/subscribers/{id}", scope="instance:admin", status=204, across_workspaces=True, raises=(NotFound,)
)
async def delete_status_subscriber(subscriber: AnySubscriber, db: Db) -> None:
    """End a subscription to the service status. For staff."""
    await subscribers.end(db, subscriber)


@routes.post(
    "/status/admin/components",
    scope="instance:admin",
    across_workspaces=True,
    raises=(problems.AlreadyExists, TooManyItems),
    example={"key": "search", "name": "Search", "order": 10},
)
async def upsert_component(db: Db, data: ComponentUpsert) -> Component:
    """Create a component, or change the one with this `id` or `key`."""
    return await components.upsert(db, data)


@routes.patch(
    "/status/admin/components/{id}/status", scope="instance:admin", across_workspaces=True, raises=(NotFound,)
)
async def set_component_status(db: Db, component_id: ComponentToSet, data: ComponentStatusUpdate) -> Component:
    """Set the status of a component. If it was automatic, it no longer is, until it is made so again."""
    return await components.set_status(db, component_id, data)


@routes.post(
    "/status/admin/incidents",
    scope="instance:admin",
    across_workspaces=True,
    raises=(TooManyItems,),
    example={
        "title": "Webhooks are delayed",
        "body": "We are looking into late deliveries.",
        "impact": "minor",
        "componentIds": [],
    },
)
async def create_incident(db: Db, caller: Caller, data: IncidentCreate) -> Incident:
    """Declare an incident, or announce maintenance.

    While it is active, its components have `componentStatus`; of several incidents the worst counts. Maintenance begins
    by itself at `scheduledFor`; people end it.
    """
    return await incidents.create(db, caller, data)


@routes.post(
    "/status/admin/incidents/{id}/updates",
    scope="instance:admin",
    across_workspaces=True,
    raises=(InvalidState, TooManyItems),
)
async def add_incident_update(db: Db, caller: Caller, incident_id: IncidentId, data: IncidentUpdateCreate) -> Incident:
    """Say what is new of an incident, and change its status.

    `resolved` (of maintenance `completed`) ends it: its components are operational again, unless another active
    incident has them. Within 24 hours another status opens it again.
    """
    return await incidents.add_update(db, caller, incident_id, data)
