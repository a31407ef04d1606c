"""The OpenAPI document of the service: its endpoints and events, with the introduction and the tags."""

import inspect
import typing
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from signalpost.console.descriptions import INTRODUCTION, TAGS
from signalpost.events import PUBLIC_EVENTS, PublicEvent
from signalpost.identity.errors import KeyRevoked, TokenExpired
from signalpost.kit import ids
from signalpost.kit.wire import Instant
from signalpost.web.components import Document
from signalpost.web.openapi import Texts, WebhookDoc, build_document
from signalpost.web.routing import Endpoint

Data = TypeVar("Data")


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
