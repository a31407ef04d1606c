"""The OpenAPI document of the service: the endpoints, and the texts that they cannot say themselves."""

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from msgspec import Struct

from signalpost.console.descriptions import FIELDS, INTRODUCTION, PARAMETERS, TAGS
from signalpost.console.event_examples import EXAMPLES
from signalpost.identity.errors import KeyRevoked, TokenExpired
from signalpost.kit.wire import Instant
from signalpost.web.components import Document
from signalpost.web.openapi import Texts, WebhookDoc, document
from signalpost.web.routing import Endpoint

Data = TypeVar("Data")


class Envelope(Struct, Generic[Data], rename="camel"):
    """Body of every delivery. `id` stays the same over all attempts: use it to recognise repeats."""

    id: str
    type: str
    created_at: Instant
    data: Data


def headers(brand: str) -> dict[str, str]:
    """Return the headers of a delivery, and what they hold."""
    return {
        f"X-{brand}-Event": "The type of the event.",
        f"X-{brand}-Signature": "`sha256=` and the HMAC-SHA256, in hex, of the raw body under the whole secret.",
        f"X-{brand}-Delivery": "The envelope's `id`.",
        f"X-{brand}-Attempt": "1 for the first attempt, then 2 to 6.",
        f"X-{brand}-Timestamp": "Seconds since 1970 of this attempt.",
        "webhook-id": "The envelope's `id`, as Standard Webhooks names it.",
        "webhook-timestamp": "Seconds since 1970 of this attempt.",
        "webhook-signature": "`v1,` and a base64 HMAC-SHA256 over `id.timestamp.body`, as Standard Webhooks wants it.",
    }


def openapi_document(endpoints: Iterable[Endpoint], *, base_url: str, version: str, brand: str) -> Document:
    """Return the OpenAPI document."""
    sent = [
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
        webhooks=sent,
        parameters=PARAMETERS,
        fields=FIELDS,
    )
    return document(endpoints, texts)


def operations(document: Document) -> Iterable[tuple[str, str, dict[str, Any]]]:
    """Yield (method, path, operation) of every operation, in the order of the document."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation
