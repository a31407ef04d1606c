"""Rows of posts, targets and the audit log. `kit.rows` derives column lists and readers from these structs."""

from datetime import datetime
from typing import Any, Final, TypeAlias
from uuid import UUID

from msgspec import Struct, field

from signalpost.events import Actor
from signalpost.posts.documents import (
    Approval,
    AttemptRecord,
    Change,
    FirstComment,
    MediaRef,
    PostWarning,
    Recurrence,
    TargetError,
    ThreadPart,
    Utm,
)
from signalpost.posts.schemas.responses import Delivery, Mode, PublishMode, Source
from signalpost.posts.states import HeldReason, PostStatus, TargetStatus

# A new field of a post that clients set, and that is stored as they send it, is written in four places:
# 1. the migration that adds the column, 2. `PostRow` (here), 3. `PostAttributes` in schemas/requests.py (for create and
# update alike), 4. `Post` in schemas/responses.py; an id, an instant or a document also in `views`.
# Statements, the merge of an update and the audit log follow from these.
# A field that has to be resolved first (as `media` or `timezone` has) is one of `PostCreate` and `PostUpdate` instead,
# and is resolved in compose/draft.py.


class PostRow(Struct, gc=False):
    """A post as stored: every column of `post`. The defaults are those of a new draft."""

    id: UUID
    workspace_id: UUID
    profile_id: UUID
    timezone: str
    created_by: Actor
    created_by_user_id: UUID | None
    source: Source
    mode: Mode
    created_at: datetime
    updated_at: datetime
    title: str | None = None
    text: str = ""
    media: list[MediaRef] = field(default_factory=list)
    media_ids: list[UUID] = field(default_factory=list)  # every file, those of the thread and of targets included
    link: str | None = None
    thread: list[ThreadPart] = field(default_factory=list)
    first_comment: str | None = None
    status: PostStatus = "draft"
    approval: Approval = Approval()
    publish_mode: PublishMode = "draft"
    scheduled_at: datetime | None = None
    scheduled_local: datetime | None = None  # the wall time in `timezone`, if that was asked for
    tzdata_version: str | None = None
    recurrence: Recurrence | None = None
    recurrence_parent_id: UUID | None = None
    source_post_id: UUID | None = None
    fanout_id: UUID | None = None
    external_id: str | None = None
    tags: list[str] = field(default_factory=list)
    campaign: str | None = None
    utm: Utm | None = None
    shorten_links: bool = False
    notes: str | None = None
    options: dict[str, dict[str, Any]] = field(default_factory=dict)  # by platform
    auto_fit: bool = True
    allow_duplicate: bool = False
    warnings: list[PostWarning] = field(default_factory=list)
    counted: bool = False  # a unit of the plan's posts is spent on it
    version: int = 1
    queued_at: datetime | None = None
    published_at: datetime | None = None
    deleted_at: datetime | None = None
    purge_at: datetime | None = None
    former_status: PostStatus | None = None  # the status when it was trashed


LABELS: Final = ("tags", "notes", "campaign", "external_id")
"""Fields that can be changed in every state of a post."""


class TargetRow(Struct, gc=False):
    """A post on one account; the columns that only workers use are left out.

    `username` and `account_status` are the account's. `paused_until`: how long its network keeps a due target.
    `published_at`: as clients see it, for test posts by the clock of the sandbox.
    """

    id: UUID
    post_id: UUID
    workspace_id: UUID
    account_id: UUID
    position: int
    platform: str
    username: str
    content_hash: bytes
    dedupe_key: str
    status: TargetStatus = "pending"
    text: str | None = None  # this and the next four: overrides; None: the post's
    media: list[MediaRef] | None = None
    title: str | None = None
    options: dict[str, Any] | None = None
    scheduled_at: datetime | None = None
    due_at: datetime | None = None  # when it was to be published; None while the post is a draft
    next_attempt_at: datetime | None = None  # None: there is nothing to do
    held_reason: HeldReason | None = None
    attempts: int = 0
    delivery: Delivery | None = None
    remote_id: str | None = None
    url: str | None = None
    thread_ids: list[str] = field(default_factory=list)
    first_comment: FirstComment = FirstComment()
    error: TargetError | None = None
    started_at: datetime | None = None
    published_at: datetime | None = None
    removed_at: datetime | None = None
    account_status: str = "active"
    paused_until: datetime | None = None


class PostSummary(Struct, gc=False):
    """What follows from the ends of a post's targets needs only this of it."""

    id: UUID
    workspace_id: UUID
    profile_id: UUID
    mode: Mode
    source: Source
    status: PostStatus
    external_id: str | None
    scheduled_at: datetime | None
    published_at: datetime | None
    first_comment: str | None


class TargetSummary(Struct, gc=False):
    """What the status of a post and the events about it need of a target. `published_at`: as clients see it."""

    id: UUID
    account_id: UUID
    platform: str
    username: str
    status: TargetStatus
    due_at: datetime | None
    next_attempt_at: datetime | None
    held_reason: HeldReason | None
    delivery: Delivery | None
    remote_id: str | None
    url: str | None
    error: TargetError | None
    started_at: datetime | None
    scheduled_at: datetime | None
    published_at: datetime | None


AnyPost: TypeAlias = PostRow | PostSummary
AnyTarget: TypeAlias = TargetRow | TargetSummary


class AuditRow(Struct, gc=False):
    """An entry of a post's audit log: every column of `audit`. Its subject is the post."""

    id: UUID
    workspace_id: UUID
    post_id: UUID
    target_id: UUID | None
    at: datetime
    action: str
    actor: Actor
    changes: list[Change] | None = None
    attempt: AttemptRecord | None = None
    request_id: str | None = None
    address: str | None = None
    subject: None = None
