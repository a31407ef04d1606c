"""The error codes of a failed target, each with its category. Connectors use these codes and no others."""

from collections.abc import Mapping

CATEGORIES: Mapping[str, str] = {
    "auth_expired": "auth_expired",
    "permission_missing": "permission",
    "account_disconnected": "account_issue",
    "account_restricted": "account_issue",
    "rate_limited": "rate_limited",
    "platform_quota": "rate_limited",
    "text_too_long": "user_content",
    "content_rejected": "platform_rejected",
    "duplicate_content": "user_content",
    "media_missing": "media",
    "media_unsupported": "media",
    "media_too_large": "media",
    "media_fetch_failed": "media",
    "media_processing_failed": "media",
    "destination_missing": "user_content",
    "billing_required": "account_issue",
    "platform_unavailable": "platform_error",
    "platform_timeout": "platform_error",
    "network_error": "platform_error",
    "outcome_unknown": "unknown",
    "missed_window": "system_error",
    "plan_limit": "account_issue",
    "internal_error": "system_error",
    "removal_failed": "platform_error",
    "cancelled": "user_content",
}
