"""What the two roles may do with each table, and which rows requests see: `migrations.policies` tells the database.

A table that is not named here is out of reach for both: a new one is added with what its statements need, no more.
`tests/contract/database_rights.tsv` shows what follows from it.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

ALL: Final = "select, insert, update, delete"
TENANT: Final = "nullif(current_setting('signalpost.tenant', true), '')::uuid"
"""The workspace whose rows a connection of a request sees; null: none."""


class Rights(NamedTuple):
    """What requests and jobs of a workspace may do, and the engine; `sees`: of which rows without a workspace."""

    service: str
    engine: str
    sees: str | None = None


OF_WORKSPACE: Final = Rights(ALL, ALL)
"""Requests do everything with the rows of their workspace: those with its id in `workspace_id`."""
_OF_INSTALLATION: Final = Rights("", ALL)
_PUBLIC: Final = Rights("select", ALL, sees="true")
# Users belong to no workspace. Its members, also those who left, are shown with what they made; staff with what they
# answered. The array is made once for each statement, from the index on members.
_PEOPLE_COLUMNS: Final = (
    "select (id, email, email_key, name, avatar_url, timezone, locale, is_staff, last_workspace_id, created_at,"
    " mail_off, quiet_hours, push_off)"
)
_PEOPLE: Final = f"""
is_staff or id = any(array(select m.user_id from member m where m.workspace_id = {TENANT}))
"""  # noqa: S608 - a constant of ours
_OF_PEOPLE: Final = f"""
user_id = any(array(select m.user_id from member m where m.workspace_id = {TENANT}))
or exists (select from app_user u where u.id = user_id and u.is_staff)
"""  # noqa: S608 - a constant of ours
# What nobody signed in for belongs to no workspace, and is seen by who sees none.
_OF_NOBODY_TOO: Final = f"workspace_id is not distinct from {TENANT}"

RIGHTS: Final[Mapping[str, Rights]] = {
    **dict.fromkeys(
        (
            "account", "api_key", "app", "app_grant", "approval_link", "attempt",
            "billing_feedback", "billing_former_customer", "calendar_link", "report_link",
            "link_page", "link_page_count", "link_page_slug",
            "billing_handover", "billing_payment", "comment", "comment_reply", "comment_rule", "comment_rule_use",
            "comment_source", "comment_push",
            "delivery", "feed", "feed_item", "lane", "media", "member",
            "messenger_code", "messenger_link",
            "messenger_message", "messenger_reply", "metric", "metric_account", "metric_day", "metric_followers",
            "metric_latest", "metric_profile", "metric_schedule", "oauth_flow", "platform_invite", "post",
            "post_message",
            "post_count", "post_count_change", "saved_reply", "profile", "profile_link", "profile_link_history",
            "recurrence_occurrence", "recurrence_series", "sandbox_clock", "search_pending",
            "slot_block", "slot_queue", "slot_reservation", "snippet",
            "subscription", "target", "ticket", "ticket_message",
            "ticket_vote", "usage", "usage_notice", "webhook", "workspace_export",
        ),
        OF_WORKSPACE,
    ),
    **dict.fromkeys(
        (
            "billing_difference", "billing_provider", "device_login", "engine_timeline", "instance", "messenger_guess",
            "network_app", "network_trouble", "one_time_token", "rate_bucket", "request_bucket", "status_subscriber",
            "stream_place", "stream_process", "user_identity", "worker",
        ),
        _OF_INSTALLATION,
    ),
    **dict.fromkeys(
        (
            "engine_hold", "feature_flag", "post_count_progress", "status_component", "status_day",
            "status_incident", "status_update", "messenger_bot",
        ),
        _PUBLIC,
    ),
        "app_user": Rights(_PEOPLE_COLUMNS, ALL, _PEOPLE),
    "audit": Rights("select, insert", "select, insert"),
    "audit_seal": Rights("select", "select, insert"),
    "backup": Rights("", "select"),
    "billing_event": Rights("", ALL),
    "idempotency": Rights(ALL, ALL, _OF_NOBODY_TOO),
    "job": Rights("select", ALL),  # written by `enqueue_job`
    "mail_message": Rights("select, insert, update", ALL),
    "request_log": Rights("select", "select, insert"),
    "schema_migration": Rights("", "select"),
    "push_device": Rights("select (id, user_id)", ALL, _OF_PEOPLE),  # whether a person has any
    "post_text": Rights("", ALL),  # read by `posts_containing`
    "search_progress": Rights("select", ALL),
    "session": Rights("select", ALL),
    "workspace": Rights("select", ALL),  # also its settings are changed by who may have several
}  # fmt: skip
"""Table -> who may do what; every table of the schema has a row."""

FUNCTIONS: Final[Mapping[str, bool]] = {"purge_audit": False, "rotate_request_log": False}
"""Function with the rights of the owner that not everyone may call -> whether requests may; the engine may."""
