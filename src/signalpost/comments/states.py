"""What a comment, an answer to it and a rule's use of it can be."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

CommentState = Literal["open", "done"]
ReplyState = Literal["pending", "sending", "sent", "failed", "unknown", "rejected"]
"""Waits for an approval, is being sent, was sent, was refused, may have been sent, was not approved."""

RuleAction = Literal["assign", "tag", "done", "hide"]
"""What a rule does with a comment."""

Hiding = Literal["pending", "done", "failed"]
"""A rule has a comment hidden at its network soon, has had it hidden, could not."""

RuleErrorCode = Literal[
    "assignee_unavailable",
    "rule_ended",
    "comment_action_unavailable",
    "invalid_state",
    "platform_error",
    "platform_timeout",
    "host_not_found",
    "internal_error",
]
"""Why a rule did not do something. The console has a sentence for each."""

ReplyErrorCode = Literal[
    "auth_expired",
    "permission_missing",
    "account_disconnected",
    "account_restricted",
    "rate_limited",
    "platform_quota",
    "text_too_long",
    "content_rejected",
    "duplicate_content",
    "destination_missing",
    "billing_required",
    "platform_unavailable",
    "platform_timeout",
    "network_error",
    "outcome_unknown",
    "internal_error",
]
"""Why an answer was not sent, or may not have been: codes of `networks/codes.py`. The console has the sentences."""

ON_ITS_WAY: Final = ("pending", "sending", "sent", "unknown")
"""States of answers that others should know of before they answer too."""

NOTES: Final[Mapping[str, str]] = {
    "outcome_unknown": "The network did not say whether it took the answer. Look at the comment there before you"
    " answer again.",
    "account_disconnected": "The account is not connected. Connect it again, then answer once more.",
    "comment_gone": "The comment was deleted before it could be answered.",
    "platform_unavailable": "The network did not take the answer for hours. Answer once more.",
}
"""Code of a failed answer -> what to do, where the network says nothing of its own."""

APPROVAL_UNKNOWN: Final = (
    "The database was replaced by an older one while the answer waited for an approval, so it may have been approved"
    " and sent since. Look at the comment at the network before you answer again."
)
"""Why an answer that waited for an approval is not sent."""


def rule_error_code(code: str) -> RuleErrorCode:
    """Return the code of what a rule did not do as the API names it."""
    codes: tuple[RuleErrorCode, ...] = get_args(RuleErrorCode)
    return codes[codes.index(code)] if code in codes else "internal_error"


def reply_error_code(code: str) -> ReplyErrorCode:
    """Return the code of an answer that failed as the API names it; of a text no other refusal can be meant."""
    codes: tuple[ReplyErrorCode, ...] = get_args(ReplyErrorCode)
    return codes[codes.index(code)] if code in codes else "content_rejected"
