"""The OpenAPI document of the service: its endpoints and events, with the introduction and the tags."""

import inspect
import typing
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from signalpost.events import PUBLIC_EVENTS, PublicEvent
from signalpost.identity.errors import KeyRevoked, TokenExpired
from signalpost.kit import ids
from signalpost.kit.wire import Instant
from signalpost.web.components import Document
from signalpost.web.openapi import Texts, WebhookDoc, build_document
from signalpost.web.routing import Endpoint

Data = TypeVar("Data")
INTRODUCTION = """\
Publish to many social networks with one call, now or on schedule; signed webhooks report the result.

**Authentication.** Send `Authorization: Bearer KEY` with an API key or an access token. Keys that start with `sp_test_`
can only use the built-in sandbox; with such a key, the header `X-Test-Now` sets the time of a request,
and `POST /sandbox/clock` moves the time by which test posts go out.

**Errors** are `application/problem+json`. Act on `code`, whose meaning never changes; `errors` lists every issue with a
JSON pointer, `requestId` identifies the request, and `type` links to a page that explains the code.

**Pagination.** List responses are `{data, nextCursor, hasMore}`. Send `nextCursor` as `cursor` to get the next page;
`limit` is 1 to 100.

**Idempotency.** A POST with an `Idempotency-Key` can be repeated for 24 hours: it returns the first response again and
has no further effect.

**Versioning.** Fields, events and enum values may be added at any time; ignore those you do not know. Nothing is
removed under `/api/v1`.
"""
TAGS = {
    "Identity": "Users, sessions, workspaces, API keys and usage.",
    "Team": "Members of a workspace, their roles and profiles, and invitations.",
    "Audit log": "Who changed what in a workspace, when and from where.",
    "Event stream": "What changes in the workspace, as it happens.",
    "Request log": "The API calls of the last days: what came of each, how long it took and who made it.",
    "Feature flags": "Switches of the installation, for all workspaces or some.",
    "Profiles": "A profile is a brand, shop or person and holds its accounts. A link reposts from one to another.",
    "Platform accounts": "Accounts on social networks: connect, check and disconnect them.",
    "Platform invites": "Links by which people without an account here connect theirs.",
    "Media": "Images, videos and documents to attach to posts.",
    "Slot queues": "Weekly times of a profile. A post takes the next free one with `publishMode: slot`.",
    "Posts": "A post has one target per account. Publish it now or later; each target reports its own outcome.",
    "Approval by link": "Links by which people without a user here read posts and decide on them.",
    "Calendar links": "Links by which any calendar program shows when posts go out.",
    "Reports by link": "Links by which people without a user here read how the posts of a month did.",
    "Link pages": "A public page of a profile with its links, and how often each is clicked.",
    "Snippets": "Texts that a team inserts in posts again and again.",
    "Apps": "Apps of others that act for a workspace by OAuth 2.1, and what they were allowed.",
    "Comments": "What people write under published posts, and the answers to it.",
    "Feeds": "RSS and Atom feeds whose new items become drafts or posts, by rules.",
    "Queue": "Posts that are due to be published, and how publishing them went.",
    "Sandbox": "The clock by which test posts go out.",
    "Webhooks": "The endpoints that events are sent to, and every delivery.",
    "Analytics": "How posts and accounts did: null is unknown, and every figure says of how many posts it is.",
    "Billing": "What plans cost, what the workspace has, and its subscription by Stripe if the operator sells plans.",
    "Messaging-app link": "The chat at WhatsApp, Telegram or Slack from which you post, and the webhook of WhatsApp.",
    "Service status": "Components, incidents and maintenance, uptime and subscriptions: public, and written by staff.",
    "Administration": "What staff of the installation see and start.",
    "Support": "Tickets, and suggestions with votes.",
    "Health": "Whether the service and its database are working.",
    "Events": "What your webhook receives. Verify the signature over the raw body before you parse it.",
}


class Envelope(Struct, Generic[Data], rename="camel"):
    """The body of every delivery. `id` is the same for all attempts; use it to recognise repeats."""

    id: str
    type: str
    created_at: Instant
    data: Data


def headers(brand: str) -> dict[str, str]:
    """Return the headers of a delivery with their descriptions."""
    return {
        f"X-{brand}-Event": "The type of the event.",
        f"X-{brand}-Signature": "`sha256=` and the hex HMAC-SHA256 of the raw body, keyed with the whole secret.",
        f"X-{brand}-Delivery": "The envelope's `id`.",
        f"X-{brand}-Attempt": "The number of the attempt, 1 to 6.",
        f"X-{brand}-Timestamp": "When the attempt was made, in Unix seconds.",
        "webhook-id": "The envelope's `id` (Standard Webhooks).",
        "webhook-timestamp": "When the attempt was made, in Unix seconds (Standard Webhooks).",
        "webhook-signature": "`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` (Standard Webhooks).",
    }


def openapi_document(endpoints: Iterable[Endpoint], *, base_url: str, version: str, brand: str) -> Document:
    """Return the OpenAPI document."""
    webhooks = [_webhook(event, brand) for event in PUBLIC_EVENTS.values()]
    texts = Texts(
        base_url=base_url,
        version=version,
        description=INTRODUCTION,
        tags=TAGS,
        refusals=(TokenExpired, KeyRevoked),
        webhooks=webhooks,
    )
    return build_document(endpoints, texts)


def event_examples(event: type[PublicEvent]) -> dict[str, Any]:
    """Return complete deliveries of an event by title."""
    envelope = {"id": ids.example("evt"), "type": event.type, "createdAt": "2026-11-21T18:00:00.000Z"}
    return {title: {**envelope, "data": msgspec.to_builtins(data)} for title, data in event.examples.items()}


def _webhook(event: type[PublicEvent], brand: str) -> WebhookDoc:
    data_type = typing.get_type_hints(event)["data"]
    return WebhookDoc(
        name=event.type,
        summary=(inspect.getdoc(event) or "").partition("\n")[0].rstrip("."),
        body=Envelope[data_type],  # type: ignore[valid-type]
        examples=event_examples(event),
        headers=headers(brand),
    )
