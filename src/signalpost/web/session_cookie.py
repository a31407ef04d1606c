"""The cookie by which a browser that is signed in calls the API. Programs send `Authorization`, which always wins.

A browser sends the cookie with whatever any site makes it request. So a request counts only if a page of this service
made it: the browser says so itself, and what changes something also carries a header that no form can send.

All tabs share the cookie. So that header names the user whom its page shows, once the page knows: a tab that one user
left open does nothing for another who signs in later.
"""

from typing import Final

from signalpost.context import AppContext
from signalpost.kit import ids, problems
from signalpost.web.caller import Caller
from signalpost.web.request import Request, cookie_value
from signalpost.web.response import Headers

HEADER: Final = "x-console"
SECONDS: Final = 30 * 24 * 3600
_USER: Final = "usr_"
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def cookie_name(context: AppContext) -> str:
    """Return the name. `__Host-` keeps other hosts of the domain from setting it; browsers want https for that."""
    return "__Host-session" if _is_https(context) else "session"


def set_cookie(context: AppContext, value: str, *, seconds: int = SECONDS) -> Headers:
    """Return the header that stores the cookie; `seconds=0` deletes it."""
    secure = "; Secure" if _is_https(context) else ""
    attributes = f"Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
    return [(b"set-cookie", f"{cookie_name(context)}={value}; {attributes}".encode())]


def read_cookie(context: AppContext, request: Request) -> str | None:
    """Return the credential in the cookie; None without one.

    Raises:
        Forbidden: there is one, but the request was not made by a page of this service.
    """
    if "cookie" not in request.headers:
        return None
    value = cookie_value(request, cookie_name(context))
    if value and not _is_ours(request):
        raise problems.Forbidden(
            "This request carries the cookie of a signed-in browser, but no page of this service sent it.",
            remediation="Programs send `Authorization: Bearer <API key>` and no cookie.",
        )
    return value or None


def user_of_page(request: Request) -> str | None:
    """Return the id of the user whom the page shows that sent the request; None if it does not know yet."""
    named = request.headers.get(HEADER, "")
    return named if named.startswith(_USER) else None


def require_user_of_page(caller: Caller, user_id: str | None) -> None:
    """Ensure that a request acts for the user whom its page shows.

    Raises:
        SignedInAsAnother: the cookie is that of another user by now.
    """
    if user_id is not None and user_id != ids.encode("usr", caller.user_id):
        raise problems.SignedInAsAnother("Another user is signed in than the one whom this page shows.")


def is_same_origin(request: Request) -> bool:
    """Return whether a page of this service sent the request, as far as the browser tells."""
    fetch_site = request.headers.get("sec-fetch-site")
    if fetch_site:
        return fetch_site == "same-origin"
    origin = request.headers.get("origin")  # plain http: the other header comes with https and on loopback only
    return origin is None or origin.partition("://")[2] == request.headers.get("host")


def _is_ours(request: Request) -> bool:
    safe = request.scope["method"] in _SAFE
    return is_same_origin(request) and (safe or HEADER in request.headers)


def _is_https(context: AppContext) -> bool:
    return context.fixed_url.startswith("https://")
