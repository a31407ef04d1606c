"""What is answered in the words of OAuth (RFC 6749, 7009, 7591, 8707) instead of a problem."""

from typing import Final, Literal
from urllib.parse import urlencode

INVALID_CLIENT: Final = "invalid_client"
Code = Literal[
    "access_denied",
    "invalid_client",
    "invalid_client_metadata",
    "invalid_grant",
    "invalid_redirect_uri",
    "invalid_request",
    "invalid_scope",
    "invalid_target",
    "temporarily_unavailable",
    "unauthorized_client",
    "unsupported_grant_type",
    "unsupported_response_type",
]


class OauthError(Exception):
    """A refusal that an app reads: its code, what to do, and the status."""

    def __init__(self, code: Code, description: str, *, status: int = 400) -> None:
        super().__init__(description)
        self.code: Code = code
        self.description = description
        self.status = status


class UnknownApp(Exception):
    """The app or its redirect address is not known, so the browser is sent nowhere: the person reads why."""


class RefusedAtApp(Exception):
    """A request for authorization that is refused at the redirect address of the app."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


def redirect_url(redirect_uri: str, issuer: str, state: str | None, **values: str) -> str:
    """Return where the browser is sent: with what is answered, the state of the app, and who answers (RFC 9207)."""
    parameters = values | ({} if state is None else {"state": state}) | {"iss": issuer}
    return f"{redirect_uri}{'&' if '?' in redirect_uri else '?'}{urlencode(parameters)}"
