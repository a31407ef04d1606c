"""The events of the specification with an example of each kind: for the reference and for its tests."""

import inspect
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from signalpost import events
from signalpost.web.examples import example_id

_AT = "2026-11-21T18:00:00.000Z"
_PLACE = {"targetId": example_id("tgt"), "platform": "bluesky", "accountId": example_id("acc")}
_SEEN = {
    "platformPostId": "at://did:plc:44ybard66vv44zksje25o7dz/app.bsky.feed.post/3l6oveex3ii2l",
    "url": "https://bsky.app/profile/acme.example.com/post/3l6oveex3ii2l",
}
_DONE = {
    **_PLACE,
    "username": "acme.example.com",
    "status": "published",
    "delivery": "live",
    **_SEEN,
    "publishedAt": _AT,
}
_ERROR = {
    "code": "text_too_long", "category": "user_content", "source": "user", "retryable": False,
    "message": "The text has 312 graphemes; 300 are allowed.", "userMessage": "The text is too long for Bluesky.",
    "rule": "bluesky.text.max", "httpStatus": None, "platformCode": None,
    "remediation": "Shorten the text and retry.", "occurredAt": _AT,
}  # fmt: skip
_NOT = {
    "targetId": "tgt_01M7Z0000000000000000000AC", "platform": "mastodon", "accountId": "acc_01M7Z0000000000000000000AC",
    "username": "acme@mastodon.example", "status": "failed", "error": _ERROR,
}  # fmt: skip


def _post(published: int, failed: int, status: str, *, scope: str = "post", **more: Any) -> dict[str, Any]:
    head = {"postId": example_id("pst"), "published": published, "failed": failed, "total": 2}
    middle = {"profileId": example_id("prof"), "status": status, "scope": scope, "externalId": "cms-4711"}
    return {**head, **middle, "scheduledAt": _AT, "source": "api", "mode": "live", **more}


_ACCOUNT = {
    "accountId": example_id("acc"), "profileId": example_id("prof"), "platform": "bluesky",
    "username": "acme.example.com", "displayName": "Acme",
}  # fmt: skip
_DATA: dict[str, tuple[type[Struct], dict[str, dict[str, Any]]]] = {
    "post.queued": (
        events.PostData,
        {"post": _post(0, 0, "scheduled", queuedAt="2026-11-20T09:30:00.000Z", runAt=_AT, targets=[_PLACE])},
    ),
    "post.published": (
        events.PostData,
        {
            "target": _post(1, 0, "publishing", scope="target", target=_DONE),
            "post": _post(2, 0, "published", publishedAt=_AT, targets=[{**_PLACE, "status": "published", **_SEEN}]),
        },
    ),
    "post.partial": (
        events.PostData,
        {"post": _post(1, 1, "partial", targets=[{**_PLACE, "status": "published", **_SEEN}, _NOT])},
    ),
    "post.failed": (
        events.PostData,
        {
            "target": _post(0, 1, "publishing", scope="target", target=_NOT),
            "post": _post(0, 2, "failed", targets=[_NOT]),
        },
    ),
    "account.connected": (
        events.AccountData,
        {
            "account": {
                **_ACCOUNT, "kind": "personal", "connectedVia": "api", "reconnected": False, "inviteId": None,
            }
        },
    ),
    "account.disconnected": (
        events.AccountDisconnectedData,
        {
            "account": {
                **_ACCOUNT, "reason": "user_request", "affectedPosts": 1, "affectedPostIds": [example_id("pst")],
            }
        },
    ),
}  # fmt: skip


@dataclass(frozen=True)
class EventExamples:
    """A public event: what it says, its data, and whole deliveries of it."""

    summary: str
    data: type[Struct]
    examples: dict[str, dict[str, Any]]


def _examples_of(kind: type[events.PublicEvent]) -> EventExamples:
    data, examples = _DATA[kind.type]
    summary = (inspect.getdoc(kind) or "").partition("\n")[0].rstrip(".")
    envelope = {"id": example_id("evt"), "type": kind.type, "createdAt": _AT}
    return EventExamples(summary, data, {name: {**envelope, "data": shown} for name, shown in examples.items()})


EXAMPLES = {name: _examples_of(kind) for name, kind in events.PUBLIC_EVENTS.items()}
"""What webhooks get, by the name of the event."""
