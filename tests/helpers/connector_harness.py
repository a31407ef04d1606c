"""The harness of the conformance suite, under the name by which tests know it."""

from signalpost.conformance.harness import (
    PNG,
    Clock,
    FakeHttp,
    FakeResponse,
    FaultInjector,
    Headers,
    Killed,
    MemoryJournal,
    Request,
    image,
    json_response,
    outgoing,
    publish_until_settled,
    server_at,
    session,
)
from signalpost.conformance.harness import (
    Failure as Fault,
)

__all__ = [
    "PNG",
    "Clock",
    "FakeHttp",
    "FakeResponse",
    "Fault",
    "FaultInjector",
    "Headers",
    "Killed",
    "MemoryJournal",
    "Request",
    "image",
    "json_response",
    "outgoing",
    "publish_until_settled",
    "server_at",
    "session",
]
