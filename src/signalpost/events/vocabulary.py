"""Events: frozen, past tense. Public ones carry `type` and the `data` that webhooks get; the others stay inside."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Literal
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType

from signalpost.events.actor import Actor
from signalpost.kit.wire import Instant

__all__ = [
    "PUBLIC_EVENTS",
    "AccountConnected",
    "AccountData",
    "AccountDisconnected",
    "AccountDisconnectedData",
    "AccountReady",
    "Event",
    "PostData",
    "PostFailed",
    "PostPartial",
    "PostPublished",
    "PostQueued",
    "PostSettled",
    "PublicEvent",
    "Removal",
    "RemovalRequested",
    "TargetData",
]


class TargetData(Struct, rename="camel", omit_defaults=True, kw_only=True):
    """One target inside `data` of a post event; keys without a value are left out."""

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
    """`data` of every post event. The first four keys are the specification's; counts are those of that moment."""

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
    targets: list[TargetData] | UnsetType = UNSET
    target: TargetData | UnsetType = UNSET


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


class AccountDisconnectedData(Struct, rename="camel", kw_only=True):
    """`data` of account.disconnected; at most 100 of the affected posts are named."""

    account_id: str
    profile_id: str
    platform: str
    username: str
    display_name: str
    reason: Literal["user_request", "profile_deleted", "platform_deletion_callback"]
    affected_posts: int
    affected_post_ids: list[str]


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened in a workspace."""

    workspace_id: UUID
    at: datetime


@dataclass(frozen=True, kw_only=True)
class PublicEvent(Event):
    """An event that webhooks may subscribe to."""

    type: ClassVar[str]
    profile_id: UUID | None
    mode: Literal["live", "test"]
    data: Struct


@dataclass(frozen=True, kw_only=True)
class PostQueued(PublicEvent):
    """A post was accepted and its tasks enqueued."""

    type: ClassVar[str] = "post.queued"


@dataclass(frozen=True, kw_only=True)
class PostPublished(PublicEvent):
    """A target was published, or the whole post was."""

    type: ClassVar[str] = "post.published"


@dataclass(frozen=True, kw_only=True)
class PostPartial(PublicEvent):
    """The last target ended; some were published and some failed."""

    type: ClassVar[str] = "post.partial"


@dataclass(frozen=True, kw_only=True)
class PostFailed(PublicEvent):
    """A target failed for good, or every target did."""

    type: ClassVar[str] = "post.failed"


@dataclass(frozen=True, kw_only=True)
class AccountConnected(PublicEvent):
    """A user connected, or reconnected, a platform account."""

    type: ClassVar[str] = "account.connected"


@dataclass(frozen=True, kw_only=True)
class AccountDisconnected(PublicEvent):
    """A user disconnected a platform account, here or at the platform."""

    type: ClassVar[str] = "account.disconnected"


PUBLIC_EVENTS: dict[str, type[PublicEvent]] = {
    kind.type: kind
    for kind in (PostQueued, PostPublished, PostPartial, PostFailed, AccountConnected, AccountDisconnected)
}
"""The six events of the specification, by name."""


@dataclass(frozen=True, kw_only=True)
class PostSettled(Event):
    """The last target of a post ended: published, partial or failed. Stays inside."""

    post_id: UUID
    status: str


class Removal(Struct, frozen=True, kw_only=True):
    """Something to be removed from a network, with all that is needed once the post is gone from here."""

    target_id: UUID
    account_id: UUID
    platform: str
    remote_id: str
    thread_ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RemovalRequested(Event):
    """Somebody wants a post removed from the networks. Stays inside; `publishing` does it, after this transaction."""

    post_id: UUID
    actor: Actor
    removals: list[Removal]


@dataclass(frozen=True, kw_only=True)
class AccountReady(Event):
    """An account can publish again: connected, resumed, found well. Stays inside; `posts` wakes what waited for it."""

    account_id: UUID
    platform: str
