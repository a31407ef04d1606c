"""JSON columns of posts, targets and audit entries as they are stored: in snake_case, whatever the API calls a member.

`views` turns them into what the API shows.
"""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Struct, UnsetType

from signalpost.events import Actor

ApprovalState = Literal["not_required", "pending", "approved", "changes_requested", "rejected"]


class UserTag(Struct, frozen=True, gc=False):
    """A person in a picture; x and y from the left and top, 0 to 1."""

    username: str
    x: float | None = None
    y: float | None = None


class Crop(Struct, frozen=True, gc=False):
    """The part of a picture that is sent, as it is seen upright: shares of its width and height, 0 to 1."""

    x: float
    y: float
    width: float
    height: float


class MediaRef(Struct, frozen=True, gc=False):
    """A file of a post. `alt_text` None: the one of the file itself. `crops`: by platform."""

    media_id: UUID
    alt_text: str | None = None
    thumbnail_media_id: UUID | None = None
    thumbnail_time_ms: int | None = None
    user_tags: list[UserTag] = msgspec.field(default_factory=list)
    crops: dict[str, Crop] = msgspec.field(default_factory=dict)


class ThreadPart(Struct, frozen=True, gc=False):
    """A further post of a thread."""

    text: str
    media: list[MediaRef] = msgspec.field(default_factory=list)


class Approval(Struct, frozen=True, gc=False):
    """Whether someone has to approve the post, who asked, and who decided."""

    state: ApprovalState = "not_required"
    requested_by: Actor | None = None
    decided_by: Actor | None = None
    note: str | None = None
    decided_at: datetime | None = None
    requested_at: datetime | UnsetType | None = UNSET  # not stored where unset, as in the default of the column


class Recurrence(Struct, frozen=True, gc=False):
    """A repetition by RFC 5545 rule."""

    rrule: str
    timezone: str | None = None
    until: str | None = None
    count: int | None = None
    variations: list[str] = msgspec.field(default_factory=list)


class Utm(Struct, frozen=True, gc=False):
    """Campaign parameters for links."""

    source: str | None = None
    medium: str | None = None
    campaign: str | None = None
    term: str | None = None
    content: str | None = None


class PostWarning(Struct, frozen=True, gc=False):
    """Something worth knowing that did not stop the post. `path`: a JSON pointer into the request."""

    code: str
    path: str
    message: str
    platform: str | None = None
    account_id: UUID | None = None


class FirstComment(Struct, frozen=True, gc=False, omit_defaults=True):
    """How far the first comment below a target is. `id` and `error` are the network's. None is kept as `{}`."""

    status: Literal["none", "pending", "posted", "failed"] = "none"
    id: str | None = None
    error: str | None = None


class TargetError(Struct, frozen=True, gc=False):
    """Why a target failed; `target_errors.target_error` makes it."""

    code: str
    category: str
    source: Literal["user", "platform", "system"]
    message: str
    user_message: str
    rule: str | None
    retryable: bool
    http_status: int | None
    platform_code: str | None
    platform_response: str | None
    remediation: str | None
    occurred_at: datetime


class Change(Struct, frozen=True, gc=False):
    """A changed field in the audit log: its column, and the values before and after."""

    field: str
    before: Any = msgspec.field(name="from")
    after: Any = msgspec.field(name="to")


class TargetOverrides(Struct, frozen=True, gc=False, omit_defaults=True):
    """A target in the audit log: its account, and what differs there from the post."""

    account_id: UUID
    platform: str
    text: str | None = None
    title: str | None = None
    media: list[MediaRef] | None = None
    options: dict[str, Any] | None = None
    scheduled_at: datetime | None = None


class AttemptRecord(Struct, frozen=True, gc=False):
    """The request of an attempt in the audit log, and the network's response, redacted."""

    number: int
    duration_ms: int
    request: dict[str, str] | None = None  # method, host and path
    http_status: int | None = None
    response: str | None = None
