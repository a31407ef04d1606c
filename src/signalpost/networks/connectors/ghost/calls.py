"""Calls to the Admin API of a site with a token that its key signs, and what its errors mean."""

import base64
import hmac
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import msgspec

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

API: Final = "/ghost/api/admin"
ACCEPT_VERSION: Final = "v5.0"
TOKEN_SECONDS: Final = 300  # as long as Ghost accepts
ANSWER_BYTES_MAX: Final = 10_000_000
_PUBLISH: Final = "PUT /posts/"
_RECONNECT: Final = (
    "Copy the Admin API key of the integration again (Settings, Integrations), and connect the site again."
)
_ASK: Final = "Ask whoever runs the site to let calls of its Admin API (/ghost/api/admin) through."
_REFUSALS: Final[Mapping[int, tuple[str, str | None]]] = {
    400: ("content_rejected", None),
    403: ("permission_missing", "Connect the site by the key of a custom integration, or of a user who may do this."),
    404: ("content_rejected", "The post is not there any more."),
    406: ("destination_missing", f"The site's Ghost does not know version {ACCEPT_VERSION} of its API. Update it."),
    413: ("media_too_large", "The site or the web server before it takes smaller files alone: raise its limit."),
    415: ("media_unsupported", "Ghost does not take files of this type."),
    422: ("content_rejected", None),
    501: ("permission_missing", "This Ghost does not let integrations do this. Update it."),
}


def token_of(key: str, now: datetime) -> str:
    """Return a JSON Web Token by which a key opens the Admin API for five minutes."""
    key_id, _, secret = key.partition(":")
    issued = int(now.timestamp())
    claims = {"iat": issued, "exp": issued + TOKEN_SECONDS, "aud": "/admin/"}
    signed = f"{_encoded({'alg': 'HS256', 'kid': key_id, 'typ': 'JWT'})}.{_encoded(claims)}"
    return f"{signed}.{_base64(hmac.digest(bytes.fromhex(secret), signed.encode(), 'sha256'))}"


def _encoded(value: Mapping[str, Any]) -> str:
    return _base64(msgspec.json.encode(value))


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


async def call_site(server: Server, path: str, key: str, now: datetime, call: str, **rest: Any) -> Response:
    """Call the Admin API, such as `GET /posts/`, of the site at `path`; errors name the call like that.

    Raises:
        ApiError, kit.http.HttpFailure: as `Server.call`.
    """
    method, _, route = call.partition(" ")
    headers = {"Authorization": f"Ghost {token_of(key, now)}", "Accept-Version": ACCEPT_VERSION}
    options = {"bytes_max": ANSWER_BYTES_MAX} | rest
    try:
        return await server.call(method, f"{path}{API}{route}", headers=headers, **options)
    except ApiError as error:
        raise ApiError(error.response, call) from None


async def call_api(session: NetworkSession, call: str, **rest: Any) -> Response:
    """Call the Admin API of the account's site."""
    path, key = str(session.facts.get("path") or ""), session.secrets.get("adminApiKey", "")
    return await call_site(session.server, path, key, session.now(), call, **rest)


def _first(response: Response) -> Mapping[str, Any]:
    errors = members(response).get("errors")
    first = errors[0] if isinstance(errors, list) and errors else None
    return first if isinstance(first, dict) else {}


def answers_as_ghost(response: Response) -> bool:
    """Whether an error is Ghost's own, not that of a proxy before it."""
    return string(_first(response).get("type")) is not None


def error_text(response: Response) -> str:
    """Return what Ghost says of an error: its message, what it is about, and the field."""
    error = _first(response)
    texts = [string(error.get(name)) for name in ("message", "context")]
    text = " ".join(filter(None, texts)) or f"status {response.status}"
    field = string(error.get("property"))
    return redacted(f"{text} ({field})" if field else text)[:1000]


def explain(error: ApiError) -> Outcome:
    """Turn an error response into an outcome. A page comes from a proxy: it says nothing of the key."""
    response, status, first = error.response, error.response.status, _first(error.response)
    kind, code = string(first.get("type")) or "", string(first.get("code")) or ""
    text, is_json = error_text(response), bool(members(response))
    details: dict[str, Any] = {
        "message": f"Ghost: {text}" if is_json else f"The answer of a server before Ghost: {text}. {_ASK}",
        "http_status": status, "response": response_text(response), "platform_code": code or kind or None,
    }  # fmt: skip
    if (status == 401 and is_json) or code in {"INVALID_JWT", "MISSING_ADMIN_API_KID"}:
        return NeedsReconnect(**details | {"message": f"{details['message']} {_RECONNECT}"})
    if kind == "HostLimitError":
        plan = "The site's plan does not allow this. Ask whoever runs the site to change the plan."
        return Refused(code="billing_required", remediation=plan, **details)
    is_refusal = is_json and 400 <= status < 500 and status not in {408, 409, 429}
    if is_refusal or status == 413 or (status == 501 and is_json):
        refusal, advice = _REFUSALS.get(status, ("content_rejected", None))
        if status in {400, 422} and "/upload/" in error.call:
            refusal = "media_unsupported"
        return Refused(code=refusal, remediation=advice, **details)
    if status == 429:
        return TryLater(code="rate_limited", after_seconds=wait_seconds(response), **details)
    unchanged = kind in {"UpdateCollisionError", "MaintenanceError"}  # said before anything is stored
    if error.call.startswith(_PUBLISH) and not unchanged:
        details.pop("platform_code")
        return OutcomeUnknown(**details)
    return TryLater(code="platform_unavailable", after_seconds=wait_seconds(response), **details)
