"""Why a target failed: one table of codes, and the error that is made from it. Pure."""

from datetime import datetime
from typing import Final, Literal, NamedTuple

from signalpost.networks.codes import CATEGORIES
from signalpost.posts.documents import TargetError

Source = Literal["user", "platform", "system"]

MESSAGE_LENGTH_MAX: Final = 1_000
RESPONSE_BYTES_MAX: Final = 4_096


class TargetErrorKind(NamedTuple):
    """`retry`: whether the post can succeed later as it is, or has to be changed. Anyone may see `user_message`."""

    source: Source
    retry: Literal["later", "changed"]
    user_message: str
    remediation: str


TARGET_ERRORS: Final[dict[str, TargetErrorKind]] = {
    "auth_expired": TargetErrorKind(
        "user", "later", "The connection to the account has expired.",
        "Connect the account again; posts that still wait are then published. Retry those that failed.",
    ),
    "permission_missing": TargetErrorKind(
        "user", "later", "The account did not allow this kind of post.",
        "Connect the account again and grant every permission that is asked for, then retry.",
    ),
    "account_disconnected": TargetErrorKind(
        "user", "later", "The account is no longer connected.",
        "Connect the same account again, then retry.",
    ),
    "account_restricted": TargetErrorKind(
        "platform", "later", "The network restricts this account at the moment.",
        "Sign in to the network and do what it asks for, then check the account's health and retry.",
    ),
    "rate_limited": TargetErrorKind(
        "platform", "later", "The network does not accept more posts at the moment.",
        "Retry later, and leave more time between posts on this account.",
    ),
    "platform_quota": TargetErrorKind(
        "platform", "later", "The account has used up the network's daily allowance.",
        "Retry after the network's quota resets, usually the next day.",
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
        "platform", "changed", "The network already has this post.",
        "Check the account first; change the text if it is meant to be published twice.",
    ),
    "media_missing": TargetErrorKind(
        "user", "changed", "A file of the post is missing.",
        "Upload the file again, add it to the post, then send it again.",
    ),
    "media_unsupported": TargetErrorKind(
        "user", "changed", "The network does not take this kind of file.",
        "Replace the file with one of a type listed in the network's capabilities.",
    ),
    "media_too_large": TargetErrorKind(
        "user", "changed", "A file is too large for this network.",
        "Replace the file with a smaller one.",
    ),
    "media_fetch_failed": TargetErrorKind(
        "system", "later", "A file could not be read.",
        "Retry; if the error persists, upload the file again.",
    ),
    "media_processing_failed": TargetErrorKind(
        "platform", "later", "The network could not process a file.",
        "Retry; if the error persists, convert the file to MP4 (H.264, AAC) or JPEG and use that.",
    ),
    "destination_missing": TargetErrorKind(
        "user", "changed", "The place to post to does not exist.",
        "Correct the option that names it (board, channel, community), then send it again.",
    ),
    "billing_required": TargetErrorKind(
        "user", "later", "The network requires a paid plan for this.",
        "Subscribe to it at the network, then retry.",
    ),
    "platform_unavailable": TargetErrorKind(
        "platform", "later", "The network was not available.",
        "Retry when the network is back; nothing was posted.",
    ),
    "platform_timeout": TargetErrorKind(
        "platform", "later", "The network took too long to respond.",
        "Retry; nothing was posted.",
    ),
    "network_error": TargetErrorKind(
        "platform", "later", "The network could not be reached.",
        "Check that this server reaches the network's address, then retry; nothing was posted.",
    ),
    "outcome_unknown": TargetErrorKind(
        "platform", "changed", "It is unknown whether the post was published.",
        "Check the account. If the post is not there, retry with includeUnknown: true, which publishes it again.",
    ),
    "missed_window": TargetErrorKind(
        "system", "later", "The time for this post passed before it could be published.",
        "Retry to publish it now, or increase latePolicy.toleranceMinutes of the profile.",
    ),
    "plan_limit": TargetErrorKind(
        "user", "later", "The plan does not cover this account or profile.",
        "Choose a larger plan, or remove what exceeds its limits, then retry.",
    ),
    "internal_error": TargetErrorKind(
        "system", "later", "Something went wrong on our side.",
        "Retry; if the error persists, report the post's id to the operator.",
    ),
    "removal_failed": TargetErrorKind(
        "platform", "later", "The post could not be removed from the network.",
        "Delete it at the network, or delete the post here once more with cascade=true.",
    ),
    "cancelled": TargetErrorKind(
        "user", "later", "The post was cancelled when a part of it was public already.",
        "Retry to publish the rest, or delete the post with cascade=true to remove what is public.",
    ),
}  # fmt: skip
"""Every code that a failed target can have, and `removal_failed` of one that stays published."""


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
) -> TargetError:
    """Return the error of a target for `code`; a code that is not in the table becomes content_rejected."""
    code = code if code in TARGET_ERRORS else "content_rejected"
    kind = TARGET_ERRORS[code]
    return TargetError(
        code=code,
        category=CATEGORIES[code],
        source=kind.source,
        message=clean(message, MESSAGE_LENGTH_MAX),
        user_message=kind.user_message,
        rule=rule,
        retryable=kind.retry == "later",
        http_status=http_status,
        platform_code=None if platform_code is None else clean(platform_code, 200),
        platform_response=None if response is None else bounded(response),
        remediation=remediation or kind.remediation,
        occurred_at=now,
    )


def clean(text: str, length_max: int) -> str:
    """Return text that the database accepts (no NUL, no lone surrogates), cut to `length_max` characters."""
    return text[:length_max].replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def bounded(response: str) -> str:
    """Return the text of a response, at most 4 KB of UTF-8."""
    return clean(response, RESPONSE_BYTES_MAX).encode()[:RESPONSE_BYTES_MAX].decode("utf-8", "ignore")
