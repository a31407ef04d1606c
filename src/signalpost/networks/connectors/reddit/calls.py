"""Calls with an account's token, and what the errors of Reddit mean."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.networks import oauth2
from signalpost.networks.contract import (
    ApiError,
    Http,
    NeedsReconnect,
    NetworkSession,
    OAuthApp,
    OAuthFacts,
    Outcome,
    OutcomeUnknown,
    Refused,
    Response,
    Server,
    TryLater,
)
from signalpost.networks.responses import members, redacted, response_text, string

CREATE: Final = "POST /api/submit"
GALLERY: Final = "POST /api/submit_gallery_post.json"
OAUTH: Final = OAuthFacts(
    authorize="/api/v1/authorize",
    authorize_host="www",
    redeem="/api/v1/access_token",
    revoke="/api/v1/revoke_token",
    redeem_host="www",
    scopes=("identity", "submit", "read", "flair", "mysubreddits", "edit", "history"),
    parameters={"duration": "permanent"},
    pkce=False,
    client_auth="basic",
    renewal="kept",
    access_seconds=86_400,
)
_TOKEN_CALL: Final = f"POST {OAUTH.redeem}"
_WAIT: Final = re.compile(r"\b(\d{1,5}|an?) (millisecond|second|minute|hour|day)")
_SECONDS: Final = {"millisecond": 0.001, "second": 1, "minute": 60, "hour": 3_600, "day": 86_400}
_LIMITS: Final = frozenset({"RATELIMIT", "SUBREDDIT_RATELIMIT", "QUOTA_FILLED"})
_RECONNECT: Final = frozenset({"USER_REQUIRED", "EXPIRED", "invalid_grant"})
_RESTRICTED: Final = frozenset({"IN_TIMEOUT", "USER_SUSPENDED", "ACCOUNT_SUSPENDED"})
_SCOPES: Final = "Connect the account again, and agree to everything that is asked for."
_MAIL: Final = "Confirm the address of mail in the settings of the account at Reddit."
_NOT_THERE: Final = "Choose another subreddit: this one does not exist, or Reddit has closed it."
_NOT_ALLOWED: Final = "Ask the moderators of the subreddit, join it, or choose another one."
_FLAIR: Final = "Choose a flair of the subreddit in the options of the post."
_REFUSALS: Final[Mapping[str, tuple[str, str | None]]] = {
    "SUBREDDIT_NOEXIST": ("destination_missing", _NOT_THERE),
    "SUBREDDIT_REQUIRED": ("destination_missing", "Choose a subreddit in the options of the post."),
    "BAD_SR_NAME": ("destination_missing", _NOT_THERE),
    "banned": ("destination_missing", _NOT_THERE),
    "SUBREDDIT_NOTALLOWED": ("permission_missing", _NOT_ALLOWED),
    "SUBREDDIT_NO_ACCESS": ("permission_missing", _NOT_ALLOWED),
    "BANNED_FROM_SUBREDDIT": ("permission_missing", _NOT_ALLOWED),
    "private": ("permission_missing", _NOT_ALLOWED),
    "quarantined": ("permission_missing", "Open the subreddit at Reddit once and agree to see it, then try again."),
    "NO_VERIFIED_EMAIL": ("permission_missing", _MAIL),
    "VERIFIED_USER_REQUIRED": ("permission_missing", _MAIL),
    "insufficient_scope": ("permission_missing", _SCOPES),
    "ALREADY_SUB": ("duplicate_content", "The link is in this subreddit already."),
    "SUBMIT_VALIDATION_REPOST": ("duplicate_content", "The subreddit takes the same link again only after a while."),
    "TOO_LONG": ("text_too_long", None),
    "SUBMIT_VALIDATION_MAX_LENGTH": ("text_too_long", "Shorten it to what the subreddit allows."),
    "NO_SELFS": ("content_rejected", "The subreddit takes no text posts: add a link or a picture."),
    "NO_LINKS": ("content_rejected", "The subreddit takes text posts only: leave out the link."),
    "DOMAIN_BANNED": ("content_rejected", "Reddit refuses this website: leave out the link."),
    "SUBMIT_VALIDATION_LINK_BLACKLIST": ("content_rejected", "The subreddit refuses this website: leave out the link."),
    "SUBMIT_VALIDATION_LINK_WHITELIST": ("content_rejected", "The subreddit takes links to other websites only."),
    "SUBMIT_VALIDATION_FLAIR_REQUIRED": ("content_rejected", _FLAIR),
    "BAD_FLAIR_TEMPLATE_ID": ("content_rejected", _FLAIR),
    "FLAIR_REQUIRED": ("content_rejected", _FLAIR),
    "SUBMIT_VALIDATION_BODY_REQUIRED": ("content_rejected", "The subreddit wants a text below the title."),
    "SUBMIT_VALIDATION_BODY_NOT_ALLOWED": (
        "content_rejected",
        "The subreddit wants a title alone: leave out the text.",
    ),
    "IMAGES_NOTALLOWED": ("media_unsupported", "The subreddit takes no pictures: leave them out."),
    "NO_IMAGES": ("media_unsupported", "The subreddit takes no pictures: leave them out."),
    "VIDEOS_NOTALLOWED": ("media_unsupported", "The subreddit takes no videos: leave it out."),
    "NO_VIDEOS": ("media_unsupported", "The subreddit takes no videos: leave it out."),
    "GALLERIES_DISABLED": ("media_unsupported", "The subreddit takes one picture a post: leave out the others."),
    "BAD_IMAGE": ("media_unsupported", None),
    "INVALID_CROSSPOST_THING": ("content_rejected", "The post that is shared is not there, or may not be shared."),
    "CROSSPOST_DISABLED": ("content_rejected", "The subreddit takes no crossposts."),
}
_TOO_LARGE: Final = b"<Code>EntityTooLarge</Code>"
"""What the host of the files says, in XML."""
_BY_STATUS: Final = {403: "permission_missing", 404: "destination_missing", 413: "media_too_large"}


class _Introduced:
    """A client whose calls say who makes them, also those for tokens."""

    def __init__(self, http: Http, agent: str) -> None:
        self._http, self._agent = http, agent

    async def request(
        self, method: str, url: str, *, headers: Mapping[str, str] | None = None, **rest: Any
    ) -> Response:  # fmt: skip
        return await self._http.request(method, url, headers={"User-Agent": self._agent, **(headers or {})}, **rest)


def introduced(server: Server, app: OAuthApp | None, username: str = "") -> Server:
    """Return a server whose calls say who makes them as Reddit wants it; it slows down or refuses those that do not."""
    by = f" (by /u/{username})" if username else ""
    agent = f"web:{app.client_id if app is not None else 'signalpost'}:v1{by}"
    return replace(server, http=_Introduced(server.http, agent))


def of(session: NetworkSession) -> NetworkSession:
    """Return a session whose calls say who makes them."""
    return replace(session, server=introduced(session.server, session.app, session.username))


async def refresh(session: NetworkSession) -> None:
    """Renew the access token."""
    await oauth2.refresh_by(OAUTH)(of(session))


async def call(session: NetworkSession, method: str, path: str, **rest: Any) -> Response:
    """Call Reddit with the account's token; it is renewed when it ends."""
    params = {"raw_json": "1", **rest.pop("params", {})}  # or <, > and & come as entities

    async def send(token: str) -> Response:
        headers = {"Authorization": f"Bearer {token}"}
        return await of(session).server.call(method, path, headers=headers, params=params, **rest)

    return await oauth2.call_with_token(session, refresh, send)


async def act(session: NetworkSession, name: str, **rest: Any) -> Mapping[str, Any]:
    """Make a call such as `POST /api/submit`, and return the data of its answer.

    Raises:
        ApiError: it names errors and nothing that was made. With both, the errors are a warning: a limit that the
            account has reached by what it just did.
        BadResponse: it is not what Reddit says to such a call.
    """
    method, _, path = name.partition(" ")
    response = await call(session, method, path, **rest)
    answer = members(response).get("json")
    if not isinstance(answer, dict):
        raise BadResponse("the response says not what became of the call", status=response.status)
    data = answer.get("data")
    result: Mapping[str, Any] = data if isinstance(data, dict) else {}
    if answer.get("errors") and not (result.get("id") or result.get("things")):
        raise ApiError(response, name)
    return result


def listed(response: Response) -> tuple[Sequence[Mapping[str, Any]], str | None]:
    """Return the things of a list, and where its next page begins.

    Raises:
        BadResponse: there is none in the response.
    """
    listing = members(response).get("data")
    children = listing.get("children") if isinstance(listing, dict) else None
    if not isinstance(listing, dict) or not isinstance(children, list):
        raise BadResponse("the response is not a list", status=response.status)
    things = [child["data"] for child in children if isinstance(child, dict) and isinstance(child.get("data"), dict)]
    return things, string(listing.get("after"))


def explain(error: ApiError) -> Outcome:
    """Turn an error response into an outcome. Reddit says what is wrong in several forms, often with the status 200."""
    response, status, body = error.response, error.response.status, members(error.response)
    code, message = _code_and_text(response, body)
    text = redacted(message or f"status {status}")[:1000]
    details: dict[str, Any] = {
        "message": f"Reddit: {text}", "http_status": status, "response": response_text(response), "platform_code": code,
    }  # fmt: skip
    if code in _LIMITS or status == 429:
        return _limited(response, body, code, text, details)
    if error.call == _TOKEN_CALL and (status == 401 or code in {"invalid_client", "unauthorized_client"}):
        return TryLater(limit_of="app", **details)  # Reddit does not accept the app, whosever token it is
    is_refusal = bool(body) and (status == 200 or 400 <= status < 500)
    if code in _RESTRICTED or (is_refusal and (status == 401 or code in _RECONNECT or error.call == _TOKEN_CALL)):
        return NeedsReconnect(restricted=code in _RESTRICTED, **details)
    if is_refusal or _TOO_LARGE in response.body[:4096]:
        return _refused(response, code, details)
    if error.call in {CREATE, GALLERY}:
        details.pop("platform_code")
        return OutcomeUnknown(**details)
    return TryLater(**details)


def _refused(response: Response, code: str | None, details: Mapping[str, Any]) -> Refused:
    if _TOO_LARGE in response.body[:4096]:
        return Refused(code="media_too_large", **details)
    kind, advice = _REFUSALS.get(code or "", (_BY_STATUS.get(response.status, "content_rejected"), None))
    return Refused(code=kind, remediation=advice, **details)


def _code_and_text(response: Response, body: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return Reddit's code and words for what is wrong."""
    answer = body.get("json")
    errors = answer.get("errors") if isinstance(answer, dict) else None
    if isinstance(errors, list) and errors and isinstance(errors[0], list):
        first = [string(value) for value in errors[0][:2]]
        return first[0], first[-1]
    if 'error="insufficient_scope"' in response.headers.get("WWW-Authenticate", ""):
        return "insufficient_scope", "The account did not grant the permission for this."
    code = string(body.get("reason")) or string(body.get("error"))
    return code, string(body.get("explanation")) or string(body.get("message")) or code


def _limited(
    response: Response, body: Mapping[str, Any], code: str | None, text: str, details: Mapping[str, Any]
) -> TryLater:
    """Return how long to wait: a limit of the account says it in words, that of the app in a header."""
    if code not in _LIMITS:
        seconds = _seconds(response.headers.get("X-Ratelimit-Reset")) or _seconds(response.headers.get("Retry-After"))
        return TryLater(code="rate_limited", limit_of="app", after_seconds=seconds, **details)
    answer = body.get("json")
    seconds = _seconds(answer.get("ratelimit")) if isinstance(answer, dict) else None
    if seconds is None and (match := _WAIT.search(text)) is not None:
        seconds = (float(match[1]) if match[1].isdigit() else 1.0) * _SECONDS[match[2]]
    kind = "platform_quota" if code == "QUOTA_FILLED" else "rate_limited"
    return TryLater(code=kind, after_seconds=None if seconds is None else seconds + 1, **details)


def _seconds(value: Any) -> float | None:
    """Return a number of seconds; Reddit writes 706.767083 or "120"."""
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        return None
    return seconds if 0 < seconds < 1e9 else None
