"""Calls to the REST API of a site with an application password, and what its errors mean."""

import base64
import re
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

CREATE: Final = "POST /wp/v2/posts"
COMMENT: Final = "POST /wp/v2/comments"
FLOOD_SECONDS: Final = 20.0
FIREWALL: Final = "Ask whoever runs the site to let calls of its REST API (/wp-json) through."
_GONE: Final = frozenset((
    "incorrect_password", "invalid_username", "invalid_email", "invalid_application_password", "rest_not_logged_in",
    "application_passwords_disabled", "application_passwords_disabled_for_user", "rest_user_cannot_view",
))  # fmt: skip
_RECONNECT: Final = "Make a new application password in the profile of the user, and connect the account again."
_ALLOW: Final = "Give the user of the site a role that may do this: an author publishes, an editor makes categories."
_PERMISSION: Final = frozenset((
    "rest_cannot_create", "rest_cannot_publish", "rest_cannot_edit", "rest_cannot_edit_others", "rest_cannot_delete",
    "rest_user_cannot_delete_post", "rest_cannot_assign_term", "rest_cannot_assign_sticky", "rest_forbidden_context",
    "rest_forbidden_status", "rest_forbidden", "rest_cannot_view", "rest_cannot_read_post",
))  # fmt: skip
_RAISE: Final = "raise upload_max_filesize and post_max_size of the site's PHP, or send a smaller file."
_DROPPED: Final = f"The site's PHP dropped the file before WordPress saw it: {_RAISE}"
_PHP_LIMIT: Final = "upload_max_filesize"  # in no language of WordPress translated
_MONTH: Final = re.compile(r"/\d{4}/(?:0[1-9]|1[0-2])\b")
"""The site's folder for files of this month, as errors name it in every language of WordPress."""
_FOLDER: Final = "If this goes on, have the site's server write to its folder for uploads."
_REFUSALS: Final[Mapping[str, tuple[str, str | None]]] = {
    "rest_no_route": ("destination_missing", "The site's REST API does not know posts: switch it on."),
    "rest_disabled": ("permission_missing", "A plugin of the site switched the REST API off: switch it on again."),
    "rest_post_invalid_id": ("content_rejected", "The post is not there any more."),
    "rest_term_invalid": ("content_rejected", "A category or tag is not there any more: publish again."),
    "rest_invalid_param": ("content_rejected", None),
    "rest_comment_closed": ("content_rejected", "Comments are closed under this post: open them at the site."),
    "comment_duplicate": ("duplicate_content", "WordPress takes the same comment once: write another text."),
    "rest_comment_invalid_id": ("destination_missing", "The comment is not there any more."),
    "rest_comment_invalid_post_id": ("destination_missing", "The post is not there any more."),
    "rest_comment_draft_post": ("destination_missing", "The post is a draft, so nobody can comment on it."),
    "rest_comment_trash_post": ("destination_missing", "The post is in the trash of the site."),
    "empty_content": ("content_rejected", "A post needs a title, a text or an excerpt."),
    "rest_upload_file_too_big": ("media_too_large", "The site takes smaller files alone: raise its limit."),
    "rest_upload_limited_space": ("media_too_large", "The site has no space left for files."),
    "rest_upload_image_type_not_supported": (
        "media_unsupported", "The site's server cannot read images of this type: send another one."),
    "rest_upload_unknown_error": ("media_unsupported", "The site does not allow files of this type or size."),
    "rest_upload_sideload_error": ("media_unsupported", "The site does not allow files of this type or size."),
    "rest_upload_no_data": ("media_too_large", _DROPPED),
    "rest_upload_no_content_disposition": ("media_too_large", _DROPPED),
    "rest_upload_user_quota_exceeded": ("media_too_large", "The user has no space left for files on this site."),
}  # fmt: skip
_UPLOAD: Final = frozenset(("rest_upload_unknown_error", "rest_upload_sideload_error"))
"""Whatever kept PHP or WordPress from storing a file."""
_AFTER: Final = ("db_", "invalid_taxonomy", "internal_server_error")
"""Codes of errors that may follow once the post was stored."""


def headers_of(secrets: Mapping[str, str]) -> dict[str, str]:
    """Return the header of an application password."""
    credentials = f"{secrets.get('username', '')}:{secrets.get('applicationPassword', '')}"
    return {"Authorization": f"Basic {base64.b64encode(credentials.encode()).decode()}"}


async def call_site(
    server: Server, place: Mapping[str, Any], secrets: Mapping[str, str], call: str, **rest: Any
) -> Response:
    """Call the REST API, such as `GET /wp/v2/posts`, at its place on the site; errors name the call like that.

    A site without readable addresses takes the path of the call as a parameter.

    Raises:
        ApiError, kit.http.HttpFailure: as `Server.call`.
    """
    method, _, route = call.partition(" ")
    path, params = f"{place.get('path') or ''}{route}", dict(rest.pop("params", None) or {})
    if place.get("query"):
        path, params = f"{place.get('path') or ''}/", {"rest_route": route, **params}
    try:
        return await server.call(method, path, headers=headers_of(secrets), params=params, **rest)
    except ApiError as error:
        raise ApiError(error.response, call) from None


async def call_api(session: NetworkSession, call: str, **rest: Any) -> Response:
    """Call the REST API of the account's site."""
    return await call_site(session.server, session.facts, session.secrets, call, **rest)


def code_of(response: Response) -> str:
    """Return WordPress's own code of an error; empty if the response is not WordPress's."""
    return string(members(response).get("code")) or ""


def error_text(response: Response) -> str:
    """Return what WordPress says of an error."""
    body = members(response)
    return redacted(string(body.get("message")) or f"status {response.status}")[:1000]


def explain(error: ApiError) -> Outcome:
    """Turn an error response into an outcome, by WordPress's code first.

    A page that is not JSON comes from a proxy, a firewall or a plugin that shuts the REST API: it says nothing of the
    account.
    """
    response, status, code = error.response, error.response.status, code_of(error.response)
    is_json = bool(members(response))
    text = error_text(response)
    details: dict[str, Any] = {
        "message": f"WordPress: {text}" if is_json else (
            f"Not WordPress's answer, but that of a proxy, a firewall or a security plugin: {text}. {FIREWALL}"),
        "http_status": status, "response": response_text(response), "platform_code": code or None,
    }  # fmt: skip
    if code in _GONE or (status == 401 and is_json):  # to someone unknown, WordPress says 401 to everything
        return NeedsReconnect(**details | {"message": f"{details['message']} {_RECONNECT}"})
    if code in _UPLOAD and _MONTH.search(text):
        # Also if two files come at once: WordPress makes the folder twice, and one of them fails.
        details["message"] += f" {_FOLDER}"
        return TryLater(code="platform_unavailable", after_seconds=wait_seconds(response), **details)
    if code == "comment_flood":  # of users who do not moderate, WordPress takes one comment in 15 seconds
        return TryLater(code="rate_limited", after_seconds=FLOOD_SECONDS, **details)
    is_refusal = is_json and 400 <= status < 500 and status not in {408, 429} and not code.startswith(_AFTER)
    if is_refusal or status == 413 or (code in _REFUSALS and "/media" in error.call):
        return _refused(error.call, status, code, details)
    if error.call in {CREATE, COMMENT} and status != 429:
        details.pop("platform_code")
        return OutcomeUnknown(**details)
    kind = "rate_limited" if status == 429 else "platform_unavailable"
    return TryLater(code=kind, after_seconds=wait_seconds(response), **details)


def _refused(call: str, status: int, code: str, details: Mapping[str, Any]) -> Refused:
    if code in _PERMISSION or (status == 403 and code not in _REFUSALS):
        return Refused(code="permission_missing", remediation=_ALLOW, **details)
    if status == 413:
        kind, advice = _REFUSALS["rest_upload_file_too_big"]
    elif code == "rest_upload_unknown_error" and _PHP_LIMIT in details["message"]:
        kind, advice = "media_too_large", f"The file is larger than the site allows: {_RAISE}"
    else:
        other = "media_unsupported" if "/media" in call else "content_rejected"
        kind, advice = _REFUSALS.get(code, (other, None))
    return Refused(code=kind, remediation=advice, **details)
