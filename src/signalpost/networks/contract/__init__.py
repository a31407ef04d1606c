"""What a network connector is: facts plus a few plain async functions. It knows no database, no web and no settings.

A capability exists when its function does. `publish` ends in one of the outcomes below; whatever it does not foresee
becomes `OutcomeUnknown` when the one call that makes a post public may have been sent, and `TryLater` before that.
"""

from signalpost.networks.contract.app import OAuthApp
from signalpost.networks.contract.appearance import Appearance, View
from signalpost.networks.contract.comments import Comments, OutgoingReply, RemoteComment
from signalpost.networks.contract.connector import Connector
from signalpost.networks.contract.errors import ApiError, BadCredentials, IdentityUnknown, InvalidField
from signalpost.networks.contract.facts import (
    CredentialField,
    Facts,
    KeptPrivate,
    Kind,
    MediaRule,
    Option,
    RateLimit,
    TextRule,
    TextUnit,
)
from signalpost.networks.contract.http import Http, Response
from signalpost.networks.contract.journal import Journal
from signalpost.networks.contract.oauth import (
    AuthorizationCode,
    AuthorizationRequest,
    Installation,
    OAuth,
    OAuthFacts,
    PushedFlow,
    PushedRequest,
)
from signalpost.networks.contract.outcomes import (
    Absent,
    Choice,
    Destination,
    Health,
    Identity,
    LinkedInstagram,
    Metrics,
    NeedsReconnect,
    Outcome,
    OutcomeUnknown,
    Pending,
    PreflightIssue,
    Published,
    Reconciled,
    Refused,
    TryLater,
)
from signalpost.networks.contract.outgoing import Outgoing, OutgoingMedia, Part
from signalpost.networks.contract.people import Person
from signalpost.networks.contract.push import CommentPush, Hint
from signalpost.networks.contract.server import NetworkSession, Server
from signalpost.networks.contract.version import VERSION, is_supported

__all__ = [
    "VERSION",
    "Absent",
    "ApiError",
    "Appearance",
    "AuthorizationCode",
    "AuthorizationRequest",
    "BadCredentials",
    "Choice",
    "CommentPush",
    "Comments",
    "Connector",
    "CredentialField",
    "Destination",
    "Facts",
    "Health",
    "Hint",
    "Http",
    "Identity",
    "IdentityUnknown",
    "Installation",
    "InvalidField",
    "Journal",
    "KeptPrivate",
    "Kind",
    "LinkedInstagram",
    "MediaRule",
    "Metrics",
    "NeedsReconnect",
    "NetworkSession",
    "OAuth",
    "OAuthApp",
    "OAuthFacts",
    "Option",
    "Outcome",
    "OutcomeUnknown",
    "Outgoing",
    "OutgoingMedia",
    "OutgoingReply",
    "Part",
    "Pending",
    "Person",
    "PreflightIssue",
    "Published",
    "PushedFlow",
    "PushedRequest",
    "RateLimit",
    "Reconciled",
    "Refused",
    "RemoteComment",
    "Response",
    "Server",
    "TextRule",
    "TextUnit",
    "TryLater",
    "View",
    "is_supported",
]
