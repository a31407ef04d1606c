"""The OpenAPI document of the service: the endpoints, and the words that they cannot say themselves."""

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from msgspec import Struct

from signalpost.console.happenings import SENT
from signalpost.identity.errors import KeyRevoked, TokenExpired
from signalpost.kit.wire import Instant
from signalpost.web.components import Document
from signalpost.web.openapi import Announcement, Words, document
from signalpost.web.routing import Endpoint

Data = TypeVar("Data")

INTRODUCTION = """\
One call becomes posts on many networks, now or at their time, and signed webhooks tell what happened.

**Credentials.** `Authorization: Bearer KEY`, with an API key or an access token. Keys that start with `sp_test_` see
only the built-in sandbox, and may set the clock of a request by `X-Test-Now`.

**Errors** are `application/problem+json`: `code` is stable, `errors` holds every finding with a JSON pointer,
`requestId` names the request. Each code has a page, to which `type` leads.

**Lists** are `{data, nextCursor, hasMore}`. Send `nextCursor` as `cursor` for what follows; `limit` is 1 to 100.

**Repeats.** A POST with an `Idempotency-Key` can be sent again for 24 hours: it gets the first answer, and nothing
happens twice.

**Versions.** Fields, events and values of enumerations are added without notice; ignore what you do not know. Nothing
is removed under `/api/v1`.
"""
TAGS = {
    "Identity": "Who you are: registration, sessions, workspaces, API keys, usage.",
    "Profiles": "A profile is one presence: a brand, a shop, a person. It holds accounts; a link passes posts on.",
    "Platform accounts": "Accounts of networks: connect, look after, disconnect.",
    "Media": "Pictures, videos and documents that posts use.",
    "Posts": "A post goes to one target per account. Create it now, or for later; each target tells how it ended.",
    "Queue": "What is about to be published, and what came of it.",
    "Webhooks": "Where events are sent, and every delivery of them.",
    "Health": "Whether the service and its database work.",
    "Events": "What your receiver gets. Check the signature over the raw body before you read it.",
}
PARAMETERS = {
    "profileId": "Only what belongs to this profile, `prof_…`.",
    "accountId": "An account, `acc_…`: only its own, or the one to connect again.",
    "includeDisconnected": "Also show accounts that were disconnected.",
    "platform": "A network, for example `bluesky`. `GET /platforms` lists them.",
    "redirectUrl": "Where the browser goes at the end: one of the workspace's `redirectUrls`.",
    "loginHint": "Name of the account, for the network's own sign-in page.",
    "instanceUrl": "Your server, for example mastodon.social.",
    "state": "Of an authorization: what the network sends back. Of deliveries: only those in this state.",
    "code": "What the network sends back when the user agreed.",
    "error": "What the network sends back when the user did not agree.",
    "error_description": "The same, for a person.",
    "logid": "The network's own number of this attempt.",
    "kind": "Only this kind of file.",
    "expires": "Part of the signed address.",
    "signature": "Part of the signed address.",
    "variant": "The file as it was uploaded, or its small picture.",
    "status": "Only those in this state.",
    "q": "Words that stand in the text or the title.",
    "tag": "Only those with this tag.",
    "externalId": "Only the one with this id of yours.",
    "fanoutId": "Only those made by this fan-out.",
    "sort": "What comes first; a leading minus means newest first.",
    "permanent": "Delete for good instead of moving to the trash.",
    "cascade": "Also remove from the networks what was published there.",
    "type": "Only this kind of event.",
}


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


def describe(endpoints: Iterable[Endpoint], *, base_url: str, version: str, brand: str) -> Document:
    """Return the OpenAPI document."""
    sent = [
        Announcement(
            name=name,
            summary=happening.summary,
            body=Envelope[happening.data],  # type: ignore[name-defined]
            examples=happening.examples,
            headers=headers(brand),
        )
        for name, happening in SENT.items()
    ]
    words = Words(
        base_url=base_url,
        version=version,
        description=INTRODUCTION,
        tags=TAGS,
        refusals=(TokenExpired, KeyRevoked),
        announcements=sent,
        parameters=PARAMETERS,
    )
    return document(endpoints, words)


def operations(document: Document) -> Iterable[tuple[str, str, dict[str, Any]]]:
    """Yield (method, path, operation) of every operation, in the order of the document."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation
