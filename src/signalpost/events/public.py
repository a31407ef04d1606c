"""The events that webhooks can subscribe to. A new one needs a class here and its place in `_KINDS`; the docs follow.

The first line of the docstring is the event's text in the reference, `examples` are complete `data` by title.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal
from uuid import UUID

from msgspec import Struct

from signalpost.events.data import AccountData, AccountDisconnectedData, CommentData, PostData, TargetData, UsageData
from signalpost.events.event import Event
from signalpost.kit import ids

_AT = "2026-11-21T18:00:00.000Z"
_TARGET_ID, _ACCOUNT_ID, _PROFILE_ID = ids.example("tgt"), ids.example("acc"), ids.example("prof")


class PublicEvent(Event, frozen=True, kw_only=True):
    """An event that webhooks can subscribe to."""

    type: ClassVar[str]
    examples: ClassVar[Mapping[str, Struct]]
    opt_in: ClassVar[bool] = False  # whether only webhooks that name it receive it
    profile_id: UUID | None
    mode: Literal["live", "test"]
    data: Struct


def _published(**more: Any) -> TargetData:
    return TargetData(
        target_id=_TARGET_ID,
        platform="bluesky",
        account_id=_ACCOUNT_ID,
        status="published",
        platform_post_id="at://did:plc:44ybard66vv44zksje25o7dz/app.bsky.feed.post/3l6oveex3ii2l",
        url="https://bsky.app/profile/acme.example.com/post/3l6oveex3ii2l",
        **more,
    )


_FAILED = TargetData(
    target_id="tgt_01M7Z0000000000000000000AC",
    platform="mastodon",
    account_id="acc_01M7Z0000000000000000000AC",
    username="acme@mastodon.example",
    status="failed",
    error={
        "code": "text_too_long", "category": "user_content", "source": "user", "retryable": False,
        "message": "The text has 512 characters; 500 are allowed.",
        "userMessage": "The text is too long for Mastodon.", "rule": "mastodon.text.max",
        "httpStatus": None, "platformCode": None, "remediation": "Shorten the text and retry.", "occurredAt": _AT,
    },
)  # fmt: skip


def _post(status: str, published: int, failed: int, **more: Any) -> PostData:
    members: dict[str, Any] = {"scope": "post"} | more
    return PostData(
        post_id=ids.example("pst"),
        published=published,
        failed=failed,
        total=2,
        profile_id=_PROFILE_ID,
        status=status,
        external_id="cms-4711",
        scheduled_at=_AT,
        source="api",
        mode="live",
        **members,
    )


class PostQueued(PublicEvent, frozen=True, kw_only=True):
    """A post was accepted and queued."""

    type = "post.queued"
    data: PostData
    examples: ClassVar = {
        "post": _post(
            "scheduled", 0, 0, queued_at="2026-11-20T09:30:00.000Z", run_at=_AT,
            targets=[TargetData(target_id=_TARGET_ID, platform="bluesky", account_id=_ACCOUNT_ID)],
        )
    }  # fmt: skip


class PostPublished(PublicEvent, frozen=True, kw_only=True):
    """A target was published, or the whole post was."""

    type = "post.published"
    data: PostData
    examples: ClassVar = {
        "target": _post(
            "publishing", 1, 0, scope="target",
            target=_published(username="acme.example.com", delivery="live", published_at=_AT),
        ),
        "post": _post("published", 2, 0, published_at=_AT, targets=[_published()]),
    }  # fmt: skip


class PostPartial(PublicEvent, frozen=True, kw_only=True):
    """The last target ended; some targets were published and some failed."""

    type = "post.partial"
    data: PostData
    examples: ClassVar = {"post": _post("partial", 1, 1, targets=[_published(), _FAILED])}


class PostFailed(PublicEvent, frozen=True, kw_only=True):
    """A target failed permanently, or every target did."""

    type = "post.failed"
    data: PostData
    examples: ClassVar = {
        "target": _post("publishing", 0, 1, scope="target", target=_FAILED),
        "post": _post("failed", 0, 2, targets=[_FAILED]),
    }


class AccountConnected(PublicEvent, frozen=True, kw_only=True):
    """A user connected or reconnected a platform account."""

    type = "account.connected"
    data: AccountData
    examples: ClassVar = {
        "account": AccountData(
            account_id=_ACCOUNT_ID,
            profile_id=_PROFILE_ID,
            platform="bluesky",
            kind="personal",
            username="acme.example.com",
            display_name="Acme",
            connected_via="api",
            reconnected=False,
        )
    }


class AccountDisconnected(PublicEvent, frozen=True, kw_only=True):
    """A user disconnected a platform account, here or on the platform."""

    type = "account.disconnected"
    data: AccountDisconnectedData
    examples: ClassVar = {
        "account": AccountDisconnectedData(
            account_id=_ACCOUNT_ID,
            profile_id=_PROFILE_ID,
            platform="bluesky",
            username="acme.example.com",
            display_name="Acme",
            reason="user_request",
            affected_posts=1,
            affected_post_ids=[ids.example("pst")],
        )
    }


class PostApprovalRequested(PublicEvent, frozen=True, kw_only=True):
    """A post waits for approval, or was changed while it waited. Only webhooks that name this event receive it."""

    type = "post.approval_requested"
    opt_in = True
    data: PostData
    examples: ClassVar = {"post": _post("scheduled", 0, 0, version=2, requested_at="2026-11-20T09:30:00.000Z")}


def _comment(**more: Any) -> CommentData:
    reply: dict[str, Any] = {"reply_id": None, "reply_text": None, "reply_url": None} | more
    return CommentData(
        comment_id=ids.example("cmt"),
        post_id=ids.example("pst"),
        target_id=_TARGET_ID,
        profile_id=_PROFILE_ID,
        account_id=_ACCOUNT_ID,
        platform="bluesky",
        platform_comment_id="at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/3l6oveex3ii2m",
        parent_id=None,
        author_name="Ada Lovelace",
        author_handle="ada.example.com",
        text="Where can I buy this?",
        url="https://bsky.app/profile/did:plc:ewvi7nxzyoun6zhxrhs64oiz/post/3l6oveex3ii2m",
        posted_at=_AT,
        **reply,
    )


class CommentReceived(PublicEvent, frozen=True, kw_only=True):
    """Someone wrote under a published post. What the account itself writes is not reported."""

    type = "comment.received"
    data: CommentData
    examples: ClassVar = {"comment": _comment()}


class CommentReplied(PublicEvent, frozen=True, kw_only=True):
    """An answer to a comment was sent from here."""

    type = "comment.replied"
    data: CommentData
    examples: ClassVar = {
        "comment": _comment(
            reply_id=ids.example("rpl"),
            reply_text="At our shop, until six.",
            reply_url="https://bsky.app/profile/did:plc:44ybard66vv44zksje25o7dz/post/3l6oveex3ii2n",
        )
    }


def _usage(used: int, percent: int) -> UsageData:
    return UsageData(limit="posts", used=used, max=200, percent=percent, plan="starter", period="2026-11-01")


class UsageWarning(PublicEvent, frozen=True, kw_only=True):
    """A month's limit is used to 80 %. Only webhooks that name this event receive it."""

    type = "usage.warning"
    opt_in = True
    data: UsageData
    examples: ClassVar = {"posts": _usage(160, 80)}


class UsageExceeded(PublicEvent, frozen=True, kw_only=True):
    """A month's limit is used up. Only webhooks that name this event receive it."""

    type = "usage.exceeded"
    opt_in = True
    data: UsageData
    examples: ClassVar = {"posts": _usage(200, 100)}


_KINDS: Final[tuple[type[PublicEvent], ...]] = (
    PostQueued, PostPublished, PostPartial, PostFailed, AccountConnected, AccountDisconnected, PostApprovalRequested,
    UsageWarning, UsageExceeded, CommentReceived, CommentReplied,
)  # fmt: skip
PUBLIC_EVENTS: Final[dict[str, type[PublicEvent]]] = {kind.type: kind for kind in _KINDS}
"""All public events by type, in the order of this file."""
