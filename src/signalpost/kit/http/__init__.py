"""The one outgoing HTTP client: bounded, guarded against private addresses, honest about what may have been sent."""

from signalpost.kit.http.answers import Downloaded, Response
from signalpost.kit.http.bodies import Body, Part
from signalpost.kit.http.client import Client, Sink
from signalpost.kit.http.errors import BadAnswer, HttpFailure, MaybeSent, NotSent, Stage, TooLarge, UnsafeUrl
from signalpost.kit.http.resolver import Lookup
from signalpost.kit.http.urls import redact_url

__all__ = [
    "BadAnswer",
    "Body",
    "Client",
    "Downloaded",
    "HttpFailure",
    "Lookup",
    "MaybeSent",
    "NotSent",
    "Part",
    "Response",
    "Sink",
    "Stage",
    "TooLarge",
    "UnsafeUrl",
    "redact_url",
]
