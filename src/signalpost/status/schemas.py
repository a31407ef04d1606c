"""The service status on the wire."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from signalpost.identity.schemas import Email
from signalpost.kit import ids, issue_text
from signalpost.kit.wire import Input, Instant, Output
from signalpost.status.states import ComponentStatus, Impact, IncidentKind, IncidentStatus
from signalpost.web.fields import ComponentId, Day, Language, Name

Channel = Literal["email", "webhook"]
Text = Annotated[str, Meta(max_length=5_000, pattern=r"\S", extra={issue_text.FORMAT: issue_text.NOT_BLANK})]
Line = Annotated[  # the title is the subject of mails
    str,
    Meta(
        max_length=200,
        pattern=r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$(?!\n)",
        extra={issue_text.FORMAT: "Must be one line of text."},
    ),
]
Key = Annotated[
    str,
    Meta(
        max_length=40,
        pattern=r"^[a-z0-9][a-z0-9_-]*$(?!\n)",
        extra={issue_text.FORMAT: "Must consist of small letters, digits, _ and -."},
    ),
]
ComponentIds = Annotated[list[ComponentId], Meta(max_length=100)]
Time = Annotated[datetime, Meta(tz=True)]
_NOTIFY = Meta(description="Whether subscribers hear of it.", examples=[True])
_HELD = Meta(
    description="What its components have while it is active. Default: what the impact means, `under_maintenance`"
    " during maintenance.",
    examples=["partial_outage"],
)
_FOR = Meta(description="When maintenance begins; then its status becomes `in_progress`.", examples=[None])
_UNTIL = Meta(description="When maintenance is expected to end.", examples=[None])


class Component(Output):
    """A part of the service. `automatic`: its status follows what is published and delivered."""

    id: str
    key: Annotated[str, Meta(examples=["api"])]
    name: Annotated[str, Meta(examples=["API"])]
    description: str | None
    group: str | None
    order: Annotated[int, Meta(examples=[1])]
    status: Annotated[ComponentStatus, Meta(examples=["operational"])]
    platform: Annotated[str | None, Meta(examples=[None])]
    automatic: bool
    uptime90d: Annotated[float | None, Meta(examples=[99.98])]
    updated_at: Instant


class ComponentList(Output):
    """All components, and the worst status among them."""

    data: list[Component]
    overall: Annotated[ComponentStatus, Meta(examples=["operational"])]
    updated_at: Instant


class IncidentUpdate(Output):
    """What was said of an incident at one time."""

    id: str
    status: Annotated[IncidentStatus, Meta(examples=["identified"])]
    body: Annotated[str, Meta(examples=["We found the cause and are deploying a fix."])]
    created_at: Instant
    author: Annotated[str, Meta(examples=["Ada"])]


class Incident(Output):
    """An incident, or planned maintenance, with its updates, newest first."""

    id: str
    title: Annotated[str, Meta(examples=["Webhooks are delayed"])]
    kind: Annotated[IncidentKind, Meta(examples=["incident"])]
    status: Annotated[IncidentStatus, Meta(examples=["identified"])]
    impact: Annotated[Impact, Meta(examples=["minor"])]
    component_ids: Annotated[list[str], Meta(examples=[[ids.example("cmp")]])]
    updates: list[IncidentUpdate]
    started_at: Instant
    scheduled_for: Instant | None
    scheduled_until: Instant | None
    resolved_at: Instant | None
    created_at: Instant
    updated_at: Instant


class UptimeDay(Output):
    """A day in UTC; `uptimePercent` is null without data."""

    date: Annotated[str, Meta(examples=["2026-11-21"])]
    uptime_percent: Annotated[float | None, Meta(examples=[99.79])]
    downtime_seconds: Annotated[int, Meta(examples=[180])]
    worst_status: Annotated[ComponentStatus | None, Meta(examples=["partial_outage"])]
    incident_ids: Annotated[list[str], Meta(examples=[[ids.example("inc")]])]


class Uptime(Output):
    """The uptime of a component: the last 90 days, oldest first. A minute of partial outage counts as 0.3 down."""

    component_id: Annotated[str, Meta(examples=[ids.example("cmp")])]
    days: list[UptimeDay]
    uptime90d: Annotated[float | None, Meta(examples=[99.98])]
    uptime30d: Annotated[float | None, Meta(examples=[99.95])]
    uptime7d: Annotated[float | None, Meta(examples=[100.0])]


class StatusSubscribe(Input):
    """Choose one channel: `email` or `webhookUrl`."""

    email: Annotated[
        Email | None,
        Meta(description="Where mails go, once the link of the first one was confirmed.", examples=["ada@example.com"]),
    ] = None
    webhook_url: Annotated[
        Annotated[str, Meta(max_length=2048)] | None,
        Meta(
            description="A public https address that receives `status.incident` and `status.component`.",
            examples=["https://example.com/hooks/status"],
        ),
    ] = None
    component_ids: Annotated[
        ComponentIds | None, Meta(description="Hear only of these components. Default: of all.", examples=[None])
    ] = None
    language: Annotated[
        Language | None, Meta(description="The language of mails: English, German or Spanish.", examples=["en"])
    ] = None


class Subscription(Output):
    """A subscription. A webhook gets its `secret`, and the `token` that ends it, here and never again."""

    id: Annotated[str, Meta(examples=[ids.example("sub")])]
    channel: Annotated[Channel, Meta(examples=["webhook"])]
    status: Annotated[Literal["pending_confirmation"], Meta(examples=["pending_confirmation"])]
    secret: Annotated[str | None, Meta(examples=["whsec_C2FVsBQIhrscChlQIMV4b5sSYspob7oD2BIcuYDEg1c="])] = None
    token: Annotated[str | None, Meta(examples=["sub_01M7Z0000000000000000000AB.q0lwx4XJwJc1VxHkB2u9Jg"])] = None


class StatusUnsubscribe(Input):
    """The token of a subscription: of its mails, or of the response that created it."""

    token: Annotated[
        Annotated[str, Meta(max_length=100)],
        Meta(description="The token.", examples=["sub_01M7Z0000000000000000000AB.q0lwx4XJwJc1VxHkB2u9Jg"]),
    ]


class SubscriptionState(Output):
    """What became of a subscription."""

    id: Annotated[str, Meta(examples=[ids.example("sub")])]
    status: Annotated[Literal["active", "unsubscribed"], Meta(examples=["active"])]


class Subscriber(Output):
    """Who is subscribed, for the staff. `lastHeardAt`: when a webhook last took something, or confirmed."""

    id: Annotated[str, Meta(examples=[ids.example("sub")])]
    channel: Annotated[Channel, Meta(examples=["webhook"])]
    address: Annotated[
        str,
        Meta(description="The e-mail address, or that of the webhook.", examples=["https://example.com/hooks/status"]),
    ]
    component_ids: Annotated[list[str] | None, Meta(description="Null: all.", examples=[None])]
    status: Annotated[Literal["pending_confirmation", "active"], Meta(examples=["active"])]
    failures: Annotated[int, Meta(description="Deliveries in a row that failed for good.", examples=[0])]
    last_heard_at: Instant | None
    created_at: Instant


class ComponentUpsert(Input):
    """Create a component, or change the one with this `id` or `key`. What is left out stays as it is."""

    id: Annotated[ComponentId | None, Meta(description="The component to change.", examples=[None])] = None
    key: Annotated[Key | None, Meta(description="Its name in addresses; needed without `id`.", examples=["search"])] = (
        None
    )
    name: Annotated[Name | None, Meta(description="What people call it; needed for a new one.")] = None
    description: Annotated[
        Annotated[str, Meta(max_length=500)] | UnsetType | None, Meta(description="One sentence.", examples=[None])
    ] = UNSET
    group: Annotated[
        Annotated[str, Meta(max_length=100)] | UnsetType | None,
        Meta(description="The heading under which it stands.", examples=[None]),
    ] = UNSET
    order: Annotated[
        Annotated[int, Meta(ge=0, le=10_000)] | None, Meta(description="Its place in the list.", examples=[10])
    ] = None
    status: Annotated[ComponentStatus | None, Meta(description="Its status now.", examples=["operational"])] = None
    automatic: Annotated[
        bool | None, Meta(description="Whether its status follows the figures of its `platform`.", examples=[False])
    ] = None
    platform: Annotated[
        Annotated[str, Meta(max_length=40)] | UnsetType | None,
        Meta(description="The network that it stands for.", examples=[None]),
    ] = UNSET


class ComponentStatusUpdate(Input):
    """The status of a component from now on."""

    status: Annotated[ComponentStatus, Meta(description="The status.", examples=["operational"])]
    reason: Annotated[
        Annotated[str, Meta(max_length=500)] | None,
        Meta(description="Why, for the audit log.", examples=["Seen in our own monitoring"]),
    ] = None


class IncidentCreate(Input):
    """Declare an incident, or announce maintenance."""

    title: Annotated[Line, Meta(description="What users notice, in one line.", examples=["Webhooks are delayed"])]
    body: Annotated[
        Text, Meta(description="The first update, plain text.", examples=["We are looking into late deliveries."])
    ]
    impact: Annotated[Impact, Meta(description="How bad it is.", examples=["minor"])]
    component_ids: Annotated[
        ComponentIds, Meta(description="The components concerned; empty: the service as a whole.", examples=[[]])
    ]
    kind: Annotated[IncidentKind, Meta(description="An incident, or maintenance.", examples=["incident"])] = "incident"
    status: Annotated[
        IncidentStatus | None,
        Meta(description="Default: `investigating`; of maintenance `scheduled`.", examples=["investigating"]),
    ] = None
    component_status: Annotated[ComponentStatus | None, _HELD] = None
    scheduled_for: Annotated[Time | None, _FOR] = None
    scheduled_until: Annotated[Time | None, _UNTIL] = None
    notify: Annotated[bool, _NOTIFY] = True


class IncidentUpdateCreate(Input):
    """Say what is new. `resolved` or `completed` ends the incident; within 24 hours another status opens it again."""

    status: Annotated[IncidentStatus, Meta(description="The status from now on.", examples=["monitoring"])]
    body: Annotated[Text, Meta(description="What is new, plain text.", examples=["A fix is in place."])]
    impact: Annotated[Impact | None, Meta(description="The impact, if it changed.", examples=[None])] = None
    component_status: Annotated[ComponentStatus | None, _HELD] = None
    notify: Annotated[bool, _NOTIFY] = True


class UptimeBackfill(Input):
    """Which days to fill. Both dates are included; minutes that were recorded stay as they are."""

    component_id: Annotated[
        ComponentId | None, Meta(description="Only this component. Default: all.", examples=[None])
    ] = None
    from_: Annotated[Day | None, Meta(description="The first day. Default: 89 days ago.", examples=[None])] = None
    to: Annotated[Day | None, Meta(description="The last day. Default: today.", examples=[None])] = None


class Backfill(Output):
    """How many days were written, of how many components."""

    days_written: Annotated[int, Meta(examples=[90])]
    components: Annotated[int, Meta(examples=[1])]
