"""All tables that have rows of workspaces. A test compares them with the database, so that a new one has to be listed.

The statements of erasure are made of these names, which are our own: a room for each table would answer one question.
"""

from typing import Final

ERASED: Final = (
    "ticket_vote", "ticket_message", "ticket",
    "messenger_reply", "messenger_message", "messenger_code", "messenger_link",
    "metric_schedule", "metric", "metric_latest", "metric_day", "metric_account", "metric_followers", "metric_profile",
    "slot_block", "slot_reservation", "slot_queue", "recurrence_occurrence", "recurrence_series",
    "attempt", "target", "search_pending", "search_progress", "post_text", "post",
    "post_count_change", "post_count",
    "delivery", "webhook", "oauth_flow", "account", "platform_invite", "profile_link_history", "profile_link", "media",
    "workspace_export", "profile", "api_key", "session", "member", "mail_message", "job", "lane", "sandbox_clock",
    "usage_notice", "billing_handover",
)  # fmt: skip
"""What is erased, in this order: what refers to a table comes before it."""

KEPT: Final = {
    "audit": "purged by its own function, which leaves what is younger than 30 days",
    "audit_seal": "the seals of that history",
    "billing_event": "a record of billing, until its job purges it",
    "billing_former_customer": "a record of billing: what is charged there is given back",
    "billing_payment": "a record of billing",
    "billing_feedback": "a record of billing, without the comments",
    "idempotency": "purged after a day, which is less than a deleted workspace has",
    "request_log": "days are dropped after a week, which is less than a deleted workspace has",
    "subscription": "a record of billing",
    "usage": "a record of billing: how much of a month was used",
}
"""Table -> why its rows stay."""

MEDIA: Final = "media"
EXPORT: Final = "workspace_export"
"""Their rows go with the bytes of their files, not by themselves."""
