"""The OpenAPI document of the service: its endpoints and events, with the introduction and the tags."""

from collections.abc import Iterable
from typing import Generic, TypeVar

from msgspec import Struct

from signalpost.console.descriptions import FIELDS, INTRODUCTION, PARAMETERS, TAGS
from signalpost.console.event_examples import EXAMPLES
from signalpost.identity.errors import KeyRevoked, TokenExpired
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
    webhooks = [
        WebhookDoc(
            name=name,
            summary=event.summary,
            body=Envelope[event.data],  # type: ignore[name-defined]
            examples=event.examples,
            headers=headers(brand),
        )
        for name, event in EXAMPLES.items()
    ]
    texts = Texts(
        base_url=base_url,
        version=version,
        description=INTRODUCTION,
        tags=TAGS,
        refusals=(TokenExpired, KeyRevoked),
        webhooks=webhooks,
        parameters=PARAMETERS,
        fields=FIELDS,
    )
    return build_document(endpoints, texts)
