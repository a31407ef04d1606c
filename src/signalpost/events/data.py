"""What webhooks receive as `data` of a public event."""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from signalpost.kit.wire import Instant


class TargetData(Struct, rename="camel", omit_defaults=True, kw_only=True):
    """A target inside `data` of a post event; members without a value are left out."""

    target_id: str
    platform: str
    account_id: str
    username: str | UnsetType = UNSET
    status: str | UnsetType = UNSET
    delivery: str | UnsetType | None = UNSET
    platform_post_id: str | UnsetType | None = UNSET
    url: str | UnsetType | None = UNSET
    published_at: Instant | UnsetType | None = UNSET
    error: dict[str, Any] | UnsetType | None = UNSET


class PostData(Struct, rename="camel", kw_only=True):
    """`data` of every post event. The counts are those at the moment of the event."""

    post_id: str
    published: int
    failed: int
    total: int
    profile_id: str
    status: str
    scope: Literal["post", "target"]
    external_id: str | None
    scheduled_at: Instant | None
    source: str
    mode: Literal["live", "test"]
    queued_at: Instant | UnsetType | None = UNSET
    run_at: Instant | UnsetType | None = UNSET
    published_at: Instant | UnsetType | None = UNSET
    version: int | UnsetType = UNSET
    requested_at: Instant | UnsetType | None = UNSET
    targets: list[TargetData] | UnsetType = UNSET
    target: TargetData | UnsetType = UNSET
    sequence: int | UnsetType = UNSET  # set when the event is recorded: larger than that of earlier events of the post


class AccountData(Struct, rename="camel", kw_only=True):
    """`data` of account.connected."""

    account_id: str
    profile_id: str
    platform: str
    kind: str
    username: str
    display_name: str
    connected_via: str
    reconnected: bool
    invite_id: str | None = None
    previous_server: str | None = None  # where the account was, if it is at another server now


class AccountDisconnectedData(Struct, rename="camel", kw_only=True):
    """`data` of account.disconnected; it names at most 100 of the affected posts."""

    account_id: str
    profile_id: str
    platform: str
    username: str
    display_name: str
    reason: Literal["user_request", "profile_deleted", "platform_deletion_callback"]
    affected_posts: int
    affected_post_ids: list[str]


class CommentData(Struct, rename="camel", kw_only=True):
    """`data` of comment.received and comment.replied; the last has the members of the answer."""

    comment_id: str
    post_id: str
    target_id: str
    profile_id: str
    account_id: str
    platform: str
    platform_comment_id: str
    parent_id: str | None
    author_name: str
    author_handle: str | None
    text: str
    url: str | None
    posted_at: Instant
    reply_id: str | None
    reply_text: str | None
    reply_url: str | None


class UsageData(Struct, rename="camel", kw_only=True):
    """`data` of usage.warning and usage.exceeded; `period` is the first day of the month, in UTC."""

    limit: str
    used: int
    max: int
    percent: int
    plan: str
    period: str
