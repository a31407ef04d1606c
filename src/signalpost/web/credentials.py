"""Why a request has no credential although its sender thinks so. No message repeats what was sent."""

from typing import Final

from signalpost.web.request import Request

_OTHER_HEADERS: Final = ("x-api-key", "api-key", "apikey", "x-api-token", "x-auth-token", "x-access-token", "token")
_PARAMETERS: Final = ("api_key=", "apikey=", "access_token=", "token=", "key=")
_HOW: Final = "Send `Authorization: Bearer <API key or access token>`"


def why_none(request: Request) -> str:
    """Return the sentences for a request without `Authorization: Bearer ...`."""
    if value := request.headers.get("authorization", "").strip():
        return _why_not_bearer(value)
    for name in _OTHER_HEADERS:
        if name in request.headers:
            return f"The header {name} is not read. {_HOW} instead."
    query = request.scope["query_string"].decode("latin-1").lower()
    if any(parameter.startswith(_PARAMETERS) for parameter in query.split("&")):
        return f"A credential in the query string is not read, since addresses are logged. {_HOW} instead."
    if "cookie" in request.headers:
        return f"No cookie of the request is that of a signed-in browser. {_HOW}."
    return f"The request has no credential. {_HOW}."


def _why_not_bearer(value: str) -> str:
    scheme, _, rest = value.partition(" ")
    if scheme.lower() == "bearer":
        return "Nothing follows the word Bearer in Authorization: the variable with the key may be empty."
    if not rest:
        return "The word Bearer is missing before the credential in Authorization."
    return f"Authorization names another scheme than Bearer. {_HOW}."
