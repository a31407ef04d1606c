"""Why a target failed, in the words of the API: one table of codes, and the error object made from it. Pure."""

from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

from signalpost.kit import clock
from signalpost.networks.codes import CATEGORIES

Source = Literal["user", "platform", "system"]

MESSAGE_LENGTH_MAX: Final = 1_000
RESPONSE_BYTES_MAX: Final = 4_096


class TargetErrorKind(NamedTuple):
    """`again`: whether the same post may go through later, unchanged. `words` may be shown to anybody."""

    source: Source
    again: Literal["later", "changed"]
    words: str
    remediation: str


TARGET_ERRORS: Final[dict[str, TargetErrorKind]] = {
    "auth_expired": TargetErrorKind(
        "user", "later", "The connection to the account has expired.",
        "Connect the account again; posts that still wait then go out by themselves. Retry those that failed.",
    ),
    "permission_missing": TargetErrorKind(
        "user", "later", "The account did not allow this kind of post.",
        "Connect the account again and grant every permission that is asked for, then retry.",
    ),
    "account_disconnected": TargetErrorKind(
        "user", "later", "The account is not connected any more.",
        "Connect the same account again, then retry.",
    ),
    "account_restricted": TargetErrorKind(
        "platform", "later", "The network restricts this account at present.",
        "Sign in at the network and follow what it asks for, then check the account's health and retry.",
    ),
    "rate_limited": TargetErrorKind(
        "platform", "later", "The network allows no more posts for the moment.",
        "Retry later, and spread posts on this account further apart.",
    ),
    "platform_quota": TargetErrorKind(
        "platform", "later", "The account has used up the network's daily allowance.",
        "Retry after the network's quota starts anew, usually the next day.",
    ),
    "text_too_long": TargetErrorKind(
        "user", "changed", "The text is too long for this network.",
        "Shorten the text for this target, then send it again.",
    ),
    "content_rejected": TargetErrorKind(
        "platform", "changed", "The network refused the content.",
        "Read `message` for the network's reason, change the post, then send it again.",
    ),
    "duplicate_content": TargetErrorKind(
        "platform", "changed", "The network has this post already.",
        "Look at the account first; change the text if it is meant to go out twice.",
    ),
    "media_missing": TargetErrorKind(
        "user", "changed", "A file of the post is missing.",
        "Upload the file again, put it into the post, then send it again.",
    ),
    "media_unsupported": TargetErrorKind(
        "user", "changed", "The network does not take this kind of file.",
        "Replace the file by one of a type listed in the network's capabilities.",
    ),
    "media_too_large": TargetErrorKind(
        "user", "changed", "A file is too large for this network.",
        "Replace the file by a smaller one.",
    ),
    "media_fetch_failed": TargetErrorKind(
        "system", "later", "A file could not be read.",
        "Retry; if it stays, upload the file again.",
    ),
    "media_processing_failed": TargetErrorKind(
        "platform", "later", "The network could not process a file.",
        "Retry; if it stays, convert the file to MP4 (H.264, AAC) or JPEG and use that.",
    ),
    "destination_missing": TargetErrorKind(
        "user", "changed", "The place to post to does not exist.",
        "Correct the option that names it (board, channel, community), then send it again.",
    ),
    "billing_required": TargetErrorKind(
        "user", "later", "The network wants a paid plan for this.",
        "Settle it at the network, then retry.",
    ),
    "platform_unavailable": TargetErrorKind(
        "platform", "later", "The network did not work.",
        "Retry when the network is back; nothing was posted.",
    ),
    "platform_timeout": TargetErrorKind(
        "platform", "later", "The network took too long.",
        "Retry; nothing was posted.",
    ),
    "network_error": TargetErrorKind(
        "platform", "later", "The network could not be reached.",
        "Check that this server reaches the network's address, then retry; nothing was posted.",
    ),
    "outcome_unknown": TargetErrorKind(
        "platform", "changed", "It is not known whether the post went out.",
        "Look at the account. If the post is not there, retry with includeUnknown: true, which posts it again.",
    ),
    "missed_window": TargetErrorKind(
        "system", "later", "The time for this post passed before it could go out.",
        "Retry to send it now, or widen latePolicy.toleranceMinutes of the profile.",
    ),
    "plan_limit": TargetErrorKind(
        "user", "later", "The plan does not cover this account or profile.",
        "Choose a larger plan or remove what is over its limits, then retry.",
    ),
    "internal_error": TargetErrorKind(
        "system", "later", "Something went wrong on our side.",
        "Retry; if it stays, report the post's id to the operator.",
    ),
}  # fmt: skip
"""Every code a failed target can carry."""


def target_error(
    code: str,
    message: str,
    now: datetime,
    *,
    rule: str | None = None,
    http_status: int | None = None,
    platform_code: str | None = None,
    response: str | None = None,
    remediation: str | None = None,
) -> dict[str, Any]:
    """Return the target error of the API for `code`; one that is not in the table becomes content_rejected."""
    known = code if code in TARGET_ERRORS else "content_rejected"
    fault = TARGET_ERRORS[known]
    return {
        "code": known,
        "category": CATEGORIES[known],
        "source": fault.source,
        "message": clean(message, MESSAGE_LENGTH_MAX),
        "userMessage": fault.words,
        "rule": rule,
        "retryable": fault.again == "later",
        "httpStatus": http_status,
        "platformCode": None if platform_code is None else clean(platform_code, 200),
        "platformResponse": None if response is None else bounded(response),
        "remediation": remediation or fault.remediation,
        "occurredAt": clock.wire(now),
    }


def clean(text: str, length_max: int) -> str:
    """Return text that a database takes (no NUL, no lone surrogates), cut to its bound."""
    return text[:length_max].replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def bounded(response: str) -> str:
    """Return a response's text, at most 4 KB of UTF-8."""
    return clean(response, RESPONSE_BYTES_MAX).encode()[:RESPONSE_BYTES_MAX].decode("utf-8", "ignore")
