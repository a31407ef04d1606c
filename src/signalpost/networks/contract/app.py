"""The app by which a network knows this service."""

from msgspec import Struct

from signalpost.kit import foreign
from signalpost.kit.http import BadResponse


class OAuthApp(Struct, frozen=True):
    """The app by which a network knows this service: the operator's, or one that `register` made. Stored sealed."""

    client_id: str
    client_secret: str
    issuer: str = ""
    """What the server calls itself in `iss` (RFC 9207); empty: its address."""
    sends_issuer: bool = False
    """Whether the server always sends `iss`."""
    scopes: tuple[str, ...] = ()
    """What the operator's app may ask for (SIGNALPOST_<KEY>_SCOPES); empty: all of `OAuthFacts.scopes`."""

    def __post_init__(self) -> None:
        """Check what a server named.

        Raises:
            BadResponse: these are no credentials.
        """
        if not all(foreign.identifier(value, foreign.URL_MAX) for value in (self.client_id, self.client_secret)):
            raise BadResponse("the server names no credentials for the app that can be stored")
