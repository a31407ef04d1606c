"""Types of fields that several rooms share: ids decoded at the border, names, addresses, zones, languages."""

from typing import Annotated

from msgspec import Meta

from signalpost.kit import issue_text, value_issues
from signalpost.kit.ids import Id
from signalpost.kit.wire import Input


class UserId(Id, prefix="usr", noun="user"): ...


class WorkspaceId(Id, prefix="wsp", noun="workspace"): ...


class SessionId(Id, prefix="ses", noun="session"): ...


class PushDeviceId(Id, prefix="psh", noun="device"): ...


class MemberId(Id, prefix="mem", noun="member"): ...


class ProfileId(Id, prefix="prof", noun="profile"): ...


class ProfileLinkId(Id, prefix="lnk", noun="link"): ...


class AccountId(Id, prefix="acc", noun="account"): ...


class PlatformInviteId(Id, prefix="inv", noun="invitation"): ...


class MediaId(Id, prefix="med", noun="media"): ...


class PostId(Id, prefix="pst", noun="post"): ...


class TargetId(Id, prefix="tgt", noun="target"): ...


class QueueId(Id, prefix="slq", noun="queue"): ...


class TicketId(Id, prefix="tkt", noun="ticket"): ...


class FanoutId(Id, prefix="job", noun="fan-out"): ...


class ApiKeyId(Id, prefix="key", noun="API key"): ...


class WebhookId(Id, prefix="whk", noun="webhook"): ...


class PostMessageId(Id, prefix="pmg", noun="message"): ...


class ApprovalLinkId(Id, prefix="apl", noun="approval link"): ...


class CalendarLinkId(Id, prefix="cal", noun="calendar link"): ...


class ReportLinkId(Id, prefix="rlk", noun="link to reports"): ...


class AppId(Id, prefix="app", noun="app"): ...


class AppGrantId(Id, prefix="agr", noun="grant"): ...


class FeedId(Id, prefix="fed", noun="feed"): ...


class CommentId(Id, prefix="cmt", noun="comment"): ...


class CommentReplyId(Id, prefix="rpl", noun="answer"): ...


class SavedReplyId(Id, prefix="srp", noun="saved reply"): ...


class SnippetId(Id, prefix="snp", noun="snippet"): ...


class CommentRuleId(Id, prefix="crl", noun="rule"): ...


class DeliveryId(Id, prefix="dlv", noun="delivery"): ...


class ComponentId(Id, prefix="cmp", noun="component"): ...


class IncidentId(Id, prefix="inc", noun="incident"): ...


class SubscriberId(Id, prefix="sub", noun="subscription"): ...


Name = Annotated[str, Meta(min_length=1, max_length=100, description="The display name.", examples=["Acme"])]
ExternalId = Annotated[
    str, Meta(min_length=1, max_length=200, description="Your own id, unique in the workspace.", examples=["cms-4711"])
]
TimeOfDay = Annotated[
    str,
    Meta(
        pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$",
        max_length=5,
        extra={issue_text.FORMAT: "Must be a time of day, such as 09:00."},
        description="A wall time, from 00:00 to 23:59.",
        examples=["09:00"],
    ),
]
TimeZone = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=100,
        extra={value_issues.ZONE: True},
        description="An IANA time zone.",
        examples=["Europe/Berlin"],
    ),
]
Language = Annotated[str, Meta(min_length=2, max_length=35, description="A BCP 47 language tag.", examples=["en"])]
PlatformSlug = Annotated[
    str, Meta(min_length=1, max_length=40, description="A network; `GET /platforms` lists them.", examples=["bluesky"])
]
Day = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$(?!\n)",
        max_length=10,
        extra={issue_text.FORMAT: "Must be a date, such as 2026-11-21."},
    ),
]


class SignedQuery(Input):
    """The query string of a signed URL."""

    expires: Annotated[
        int, Meta(ge=0, le=2**53, description="When the URL expires, in Unix seconds.", examples=[1795287600])
    ]
    signature: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=64,
            description="The signature of the URL.",
            examples=["kq3v8E0c5W1mB7tYx2ZpR9aLhUoJnD4s"],
        ),
    ]
