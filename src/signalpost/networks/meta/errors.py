"""What the errors of the Graph API mean. A code says what kind it is; where there is a subcode, it says more.

Source: developers.facebook.com, "Error codes" of the Graph API, of Instagram's content publishing and of Threads, read
2026-11-22.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

from signalpost.networks.contract import ApiError, NeedsReconnect, Outcome, OutcomeUnknown, Refused, Response, TryLater
from signalpost.networks.responses import members, redacted, response_text, string, wait_seconds

PUBLISHES: Final = " (publishes)"
"""At the end of `ApiError.call`: this call makes a post public, so an unclear error may hide a success."""
BLOCKED_SECONDS: Final = 21_600.0
"""Meta blocks accounts that post too much for hours or days; nothing says for how long."""
QUOTA_SECONDS: Final = 3_600.0
"""Quotas count the last 24 hours, so each hour may free a part."""

_TOKEN = frozenset({102, 190})
_BLOCKED_TOKEN = frozenset({459, 464})  # subcodes of 190: the person has to confirm something at Meta first
_RATE = frozenset({4, 17, 32, 341, 613, 80001, 80002})
_OF_APP = frozenset({4})
_TRANSIENT = frozenset({-2, -1, 1, 2, 6000})
_RESTRICTED = frozenset({1404006, 1404078, 1404112, 2207050, 4279013, 4854002})
_BLOCKED = frozenset({2207051})
_TOO_FAST = frozenset({1390008})
_QUOTA = frozenset({2207042})
_PERMISSION = frozenset({3, 10, 1363005, 1363042})
_DUPLICATE = frozenset({506, 1366051})
_LATER = frozenset({
    1363019, 1363030, 1363033, 1363037, 1363041, 1363047, 1609010, 2207001, 2207008, 2207027, 4279009,
})  # fmt: skip
NEW_CONTAINER: Final = frozenset({2207003, 2207008, 2207020, 2207032, 2207053, 2207077, 2207082})
"""Subcodes after which the same file may succeed in another container."""
_CONTENT: Mapping[int, str] = {
    **dict.fromkeys((1366046, 2207004), "media_too_large"),
    **dict.fromkeys((2207052, 9004), "media_fetch_failed"),
    **dict.fromkeys(
        (352, 36001, 36003, 1363022, 1363023, 1363024, 1363025, 1363026, 2069019, 2207005, 2207009, 2207026),
        "media_unsupported",
    ),
    36000: "media_too_large",
    **dict.fromkeys((36004, 2207010), "text_too_long"),
    33: "destination_missing",
}
_BY_NAME: Mapping[str, str] = {  # what Threads says of a container
    "FAILED_DOWNLOADING_VIDEO": "media_fetch_failed",
    "FAILED_PROCESSING_AUDIO": "media_unsupported",
    "FAILED_PROCESSING_VIDEO": "media_unsupported",
    "INVALID_ASPEC_RATIO": "media_unsupported",
    "INVALID_BIT_RATE": "media_unsupported",
    "INVALID_DURATION": "media_unsupported",
    "INVALID_FRAME_RATE": "media_unsupported",
    "INVALID_AUDIO_CHANNELS": "media_unsupported",
    "INVALID_AUDIO_CHANNEL_LAYOUT": "media_unsupported",
}
_SUBCODE = re.compile(r"\b22\d{5}\b")
_MINUTES = re.compile(r'"estimated_time_to_regain_access":\s?(\d{1,5})')
_RECONNECT = "Connect the account again and allow everything that is asked for."
_UNREADABLE = "Meta could not read the file at this service. Check that SIGNALPOST_BASE_URL is public."


class MetaError(Struct, frozen=True):
    """The `error` of a response. `code` and `subcode` are 0 where it has none."""

    code: int
    subcode: int
    message: str
    is_transient: bool

    @property
    def name(self) -> str:
        """The code with its subcode, for the record of the attempt."""
        return f"{self.code}/{self.subcode}" if self.subcode else str(self.code)

    def has(self, codes: frozenset[int]) -> bool:
        """Return whether the subcode or the code is one of these."""
        return self.subcode in codes or self.code in codes


def read_error(response: Response) -> MetaError | None:
    """Return the error that a response holds; None if it is not one of the Graph API."""
    body = members(response).get("error")
    if not isinstance(body, dict):
        return None
    code, subcode = body.get("code"), body.get("error_subcode")
    if type(code) is not int:
        return None
    text = string(body.get("error_user_msg")) or string(body.get("message")) or f"error {code}"
    return MetaError(code, subcode if type(subcode) is int else 0, redacted(text), body.get("is_transient") is True)


def explainer(name: str) -> Callable[[ApiError], Outcome]:
    """Return the `Connector.explain` of a network of Meta."""

    def explain(error: ApiError) -> Outcome:
        response, publishes = error.response, error.call.endswith(PUBLISHES)
        details: dict[str, Any] = {"http_status": response.status, "response": response_text(response)}
        meta = read_error(response)
        if meta is None:
            return _unreadable(name, response, details, publishes=publishes)
        return (
            _of_app(name, meta, details)
            or _of_account(name, meta, details)
            or _of_limits(name, meta, response, details)
            or _of_moment(name, meta, response, details, publishes=publishes)
            or _refused(name, meta, details)
        )

    return explain


def explain_container(name: str, text: str) -> tuple[Outcome, bool]:
    """Return what the status of a failed container means, and whether another container may succeed."""
    match = _SUBCODE.search(text)
    subcode = int(match[0]) if match else 0
    code = next((code for word, code in _BY_NAME.items() if word in text), None)
    if subcode in NEW_CONTAINER or (not subcode and code is None):
        message = f"{name} could not process the media: {text or 'no reason given'}"
        return TryLater(message=message, code="media_processing_failed", platform_code=str(subcode or "")), True
    meta = MetaError(0, subcode, text, is_transient=False)
    if code is None:
        return _refused(name, meta, {}), False
    return Refused(code=code, message=f"{name}: {text}", remediation=_remediation(code)), False


def _unreadable(name: str, response: Response, details: dict[str, Any], *, publishes: bool) -> Outcome:
    """Return what a response means that is not one of the Graph API: that of a proxy, or a part of one."""
    status = response.status
    message = f"{name} answered with status {status} and no error of its own."
    if status == 429:
        return TryLater(message=message, code="rate_limited", after_seconds=wait_seconds(response), **details)
    if 400 <= status < 500 and status not in (401, 403, 408):
        return Refused(code="content_rejected", message=message, **details)
    if publishes:
        return OutcomeUnknown(message=message, **details)
    return TryLater(message=message, after_seconds=wait_seconds(response), **details)


def _of_app(name: str, meta: MetaError, details: dict[str, Any]) -> Outcome | None:
    """Return the outcome of a wrong app secret, which is the operator's mistake: the account is as good as before."""
    if meta.code != 100 or "appsecret_proof" not in meta.message:
        return None
    return TryLater(message=f"{name}: {meta.message}", limit_of="app", platform_code=meta.name, **details)


def _of_account(name: str, meta: MetaError, details: dict[str, Any]) -> Outcome | None:
    """Return the outcome of an error that is about the account, its token or its permissions."""
    message, details = f"{name}: {meta.message}", {**details, "platform_code": meta.name}
    if meta.code in _TOKEN:
        return NeedsReconnect(message=message, restricted=meta.subcode in _BLOCKED_TOKEN, **details)
    if meta.subcode in _TOO_FAST:
        return TryLater(message=message, code="rate_limited", after_seconds=QUOTA_SECONDS, **details)
    if meta.subcode in _RESTRICTED:
        return NeedsReconnect(message=message, restricted=True, **details)
    if meta.code == 368 or meta.subcode in _BLOCKED:
        return TryLater(message=message, code="account_restricted", after_seconds=BLOCKED_SECONDS, **details)
    if meta.has(_PERMISSION) or 200 <= meta.code < 300 or "No permission to publish" in meta.message:
        return Refused(code="permission_missing", message=message, remediation=_RECONNECT, **details)
    return None


def _of_limits(name: str, meta: MetaError, response: Response, details: dict[str, Any]) -> Outcome | None:
    """Return the outcome of an error that says that there were too many calls or posts."""
    message, named = f"{name}: {meta.message}", {**details, "platform_code": meta.name}
    if meta.code in _RATE or (response.status == 429 and not meta.has(_QUOTA)):
        limit_of: Any = "app" if meta.code in _OF_APP else "account"
        after = _usage_seconds(response) or wait_seconds(response)
        return TryLater(message=message, code="rate_limited", after_seconds=after, limit_of=limit_of, **named)
    if meta.has(_QUOTA) or meta.code == 9:
        return TryLater(message=message, code="platform_quota", after_seconds=QUOTA_SECONDS, **named)
    return None


def _of_moment(
    name: str, meta: MetaError, response: Response, details: dict[str, Any], *, publishes: bool
) -> Outcome | None:
    """Return the outcome of an error that another try may not meet again."""
    message, named = f"{name}: {meta.message}", {**details, "platform_code": meta.name}
    if meta.subcode in _LATER | NEW_CONTAINER:
        return TryLater(message=message, code="media_processing_failed", after_seconds=30.0, **named)
    if meta.subcode in _CONTENT:
        return None
    if meta.is_transient or meta.code in _TRANSIENT or response.status >= 500:
        if publishes:
            return OutcomeUnknown(message=message, **details)
        return TryLater(message=message, after_seconds=wait_seconds(response), **named)
    return None


def _refused(name: str, meta: MetaError, details: dict[str, Any]) -> Refused:
    message, details = f"{name}: {meta.message}", {**details, "platform_code": meta.name}
    if meta.has(_DUPLICATE):
        return Refused(code="duplicate_content", message=message, **details)
    code = _CONTENT.get(meta.subcode) or _CONTENT.get(meta.code) or "content_rejected"
    return Refused(code=code, message=message, remediation=_remediation(code), **details)


def _remediation(code: str) -> str | None:
    return _UNREADABLE if code == "media_fetch_failed" else None


def _usage_seconds(response: Response) -> float | None:
    """Return how long Meta keeps the account out, from the usage header (minutes, by the ids that it counts)."""
    header = response.headers.get("X-Business-Use-Case-Usage") or ""
    minutes = max([int(match[1]) for match in _MINUTES.finditer(header[:4_096])], default=0)
    return minutes * 60.0 if minutes else None
