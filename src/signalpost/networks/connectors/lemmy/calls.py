"""Calls to an instance with the session of an account, and what the errors of Lemmy mean."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.networks.contract import (
    ApiError,
    NeedsReconnect,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Refused,
    Response,
    Server,
    TryLater,
)
from signalpost.networks.responses import members, redacted, response_text, string, wait_seconds

API: Final = "/api/v3"
CREATE, COMMENT, IMAGE, SITE = "POST /post", "POST /comment", "POST /pictrs/image", "GET /site"
ANSWER_BYTES_MAX: Final = 8_000_000  # fifty posts with their texts, or an instance with all its languages and emoji
_REFILL_SECONDS: Final[Mapping[str, float]] = {CREATE: 100.0, COMMENT: 100.0, IMAGE: 600.0}
"""After which an unchanged instance lets one more through: six in ten minutes, pictures in an hour."""
_RECONNECT: Final = frozenset({"not_logged_in", "incorrect_login", "instance_is_private", "token_not_found"})
"""A private instance says the third to a session that it does not know."""
_BANNED: Final = frozenset({"site_ban", "banned", "person_is_banned_from_site"})
_LATER: Final = frozenset(
    {
        "couldnt_create_post", "couldnt_find_post", "couldnt_like_post", "couldnt_mark_post_as_read",
        "couldnt_update_post", "couldnt_send_webmention", "unknown",
    }
)  # fmt: skip
"""Errors that Lemmy may meet while it stores a post, or once it is public."""
_ENDED: Final = "Lemmy: the session has ended, by signing out or by another password."
_FOLLOW: Final = "Choose another community, or open this one at your instance once and subscribe to it."
_ASK: Final = "Ask the moderators of the community, or choose another one."
_LANGUAGE: Final = "Choose a language of the community in the options of the post."
_WAIT: Final = "Wait until the administrators of the instance have let the account in."
_REFUSALS: Final[Mapping[str, tuple[str, str | None]]] = {
    "couldnt_find_community": ("destination_missing", _FOLLOW),
    "invalid_community": ("destination_missing", _FOLLOW),
    "community_has_no_followers": ("destination_missing", _FOLLOW),
    "not_found": ("destination_missing", _FOLLOW),
    "deleted": ("destination_missing", "The community is deleted, or the account is: choose another one."),
    "couldnt_find_post": ("destination_missing", "The post is not there any more."),
    "banned_from_community": ("permission_missing", _ASK),
    "person_is_banned_from_community": ("permission_missing", _ASK),
    "only_mods_can_post_in_community": ("permission_missing", _ASK),
    "community_is_blocked": ("permission_missing", "The account blocks this community: unblock it at your instance."),
    "no_post_edit_allowed": ("permission_missing", "The post is of another account."),
    "registration_application_is_pending": ("permission_missing", _WAIT),
    "registration_denied": ("permission_missing", "The administrators of the instance have not let the account in."),
    "email_not_verified": ("permission_missing", "Confirm the e-mail address of the account at your instance."),
    "language_not_allowed": ("content_rejected", _LANGUAGE),
    "invalid_post_title": ("content_rejected", "The title is one line of 3 to 200 characters."),
    "invalid_body_field": ("text_too_long", "Shorten the text."),
    "alt_text_length_overflow": ("text_too_long", "Shorten the alternative text of the first picture."),
    "url_length_overflow": ("text_too_long", "Shorten the link."),
    "invalid_url": ("content_rejected", "Check the link and the address of the preview picture."),
    "invalid_url_scheme": ("content_rejected", "A link begins with https:// or http://."),
    "blocked_url": ("content_rejected", "The instance refuses this website: leave out the link."),
    "slurs": ("content_rejected", "The instance refuses a word of the title: choose another one."),
    "nsfw_not_allowed": ("content_rejected", "The instance takes nothing for adults."),
    "locked": ("permission_missing", "The post takes no more comments."),
}
_BY_STATUS: Final = {403: "permission_missing", 404: "destination_missing", 413: "text_too_long"}


async def call_with(server: Server, token: str | None, call: str, **rest: Any) -> Response:
    """Call an instance, as `GET /site` of its API or `POST /pictrs/image`; errors name the call like that.

    Raises:
        ApiError, kit.http.HttpFailure: as `Server.call`.
    """
    method, _, path = call.partition(" ")
    path = path if path.startswith("/pictrs/") else f"{API}{path}"
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        return await server.call(method, path, headers=headers, **{"bytes_max": ANSWER_BYTES_MAX} | rest)
    except ApiError as error:
        raise ApiError(error.response, call) from None


async def call_api(session: NetworkSession, call: str, **rest: Any) -> Response:
    """Call the instance of the account."""
    return await call_with(session.server, session.secrets["jwt"], call, **rest)


def code_of(response: Response) -> str:
    """Return Lemmy's own code of an error; empty if the response is not Lemmy's."""
    return string(members(response).get("error")) or ""


def object_of(value: Any) -> Mapping[str, Any]:
    """Return a member that is an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def explain(error: ApiError) -> Outcome:
    """Turn an error response into an outcome. Lemmy says nearly everything with the status 400, so its codes decide.

    An answer without a code comes from a server before Lemmy; of a call that publishes, it leaves the outcome open.
    """
    response, status, call, code = error.response, error.response.status, error.call, code_of(error.response)
    text = redacted(": ".join(filter(None, (code, _message(response)))) or f"status {status}")[:1000]
    details: dict[str, Any] = {
        "message": f"Lemmy: {text}", "http_status": status, "response": response_text(response),
        "platform_code": code or None,
    }  # fmt: skip
    if code == "rate_limit_error" or status == 429:
        after = wait_seconds(response) or _REFILL_SECONDS.get(call)
        return TryLater(code="rate_limited", after_seconds=after, **details)
    if call == SITE and status == 200:  # it answers everybody, and tells who is signed in
        return NeedsReconnect(**details | {"message": _ENDED})
    if code in _RECONNECT | _BANNED:
        return NeedsReconnect(restricted=code in _BANNED, **details)
    if call == IMAGE and (status == 413 or (status < 500 and members(response))):
        return _refused_file(status, details)
    is_refusal = status == 413 or (400 <= status < 500 and status != 408 and code not in {"", "unknown"})
    if is_refusal and not (call == CREATE and code in _LATER):
        kind, advice = _REFUSALS.get(code, (_BY_STATUS.get(status, "content_rejected"), None))
        return Refused(code=kind, remediation=advice, **details)
    return _failed(call, response, details)


def _failed(call: str, response: Response, details: Mapping[str, Any]) -> Outcome:
    if call == CREATE:
        return OutcomeUnknown(**{name: value for name, value in details.items() if name != "platform_code"})
    return TryLater(code="platform_unavailable", after_seconds=wait_seconds(response), **details)


def _message(response: Response) -> str | None:
    body = members(response)
    return string(body.get("message")) or string(body.get("msg"))


def _refused_file(status: int, details: Mapping[str, Any]) -> Refused:
    is_large = status == 413 or any(
        word in details["message"].lower() for word in ("too large", "too_large", "too big")
    )
    return Refused(code="media_too_large" if is_large else "media_unsupported", **details)
