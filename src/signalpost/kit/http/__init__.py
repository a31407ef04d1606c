"""The only outgoing HTTP client: bounded, guarded against private addresses, exact about what may have been sent."""

from signalpost.kit.http.bodies import Part, RequestBody
from signalpost.kit.http.client import CallLimits, Client
from signalpost.kit.http.clients import CALLS_MAX, Clients
from signalpost.kit.http.errors import (
    BadResponse,
    HttpFailure,
    MaybeSent,
    NotSent,
    Stage,
    TooLarge,
    UnknownHost,
    UnsafeUrl,
)
from signalpost.kit.http.resolver import Lookup
from signalpost.kit.http.responses import Downloaded, Response, Sink
from signalpost.kit.http.urls import parse as parse_url
from signalpost.kit.http.urls import redact_url

__all__ = [
    "CALLS_MAX",
    "BadResponse",
    "CallLimits",
    "Client",
    "Clients",
    "Downloaded",
    "HttpFailure",
    "Lookup",
    "MaybeSent",
    "NotSent",
    "Part",
    "RequestBody",
    "Response",
    "Sink",
    "Stage",
    "TooLarge",
    "UnknownHost",
    "UnsafeUrl",
    "parse_url",
    "redact_url",
]
