"""What the archive of a workspace has of each table, and what an import makes of it.

A test compares these names with the database: a new table, or a new column of bytes, needs a decision here.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct


class Exported(Struct, frozen=True, kw_only=True):
    """A table in the archive: all columns of all rows of the workspace, but for what is said here."""

    without: tuple[str, ...] = ()
    """Columns left out: secrets, hashes of secrets, and what is of use only to the process that wrote it."""
    condition: str = "true"
    """SQL over `t`: which rows."""
    more: Mapping[str, str] = {}
    """Further members: name -> SQL over `t`."""
    stays: str | None = None
    """Why an import does not write it."""
    is_shared: bool = False
    """Whether its keys are those of the whole installation: a row whose key is taken there is left out."""


_LOG: Final = "an archive can be edited, and history here says only what happened here"
_OPERATOR: Final = "it concerns the operator of the instance it comes from"
_PEOPLE: Final = "people have users of their own at each instance, and are invited again"
_SECRET: Final = "its secret is not in the archive"  # noqa: S105 - a reason

EXPORTED: Final[Mapping[str, Exported]] = {
    "profile": Exported(),
    "media": Exported(without=("upload_method", "upload_bytes", "variants")),
    "account": Exported(without=("secrets", "renewing_by", "renewing_until", "noticed_status")),
    "profile_link": Exported(),
    "profile_link_history": Exported(),
    "slot_queue": Exported(),
    "webhook": Exported(
        without=("secret", "former_secret", "former_secret_until", "next_secret", "replay", "stopped_at")
    ),
    "post": Exported(),
    "target": Exported(),
    "post_message": Exported(stays="what people said stays with those who said it: they have other users there"),
    "attempt": Exported(),
    "comment": Exported(
        without=("reference", "removed"), stays="they are read again where the post is, and others are who wrote them"
    ),
    "comment_reply": Exported(without=("steps", "intent"), stays="what was answered is answered"),
    "saved_reply": Exported(),
    "snippet": Exported(),
    "comment_rule": Exported(stays="it would act by itself, for people who have other users there"),
    "comment_rule_use": Exported(stays="it is about comments, which are read again where the post is"),
    "feed": Exported(
        without=("etag", "last_modified"),
        stays="it would create posts by itself, for people who have other users there",
    ),
    "feed_item": Exported(without=("key_hash", "link_hash"), stays="what a feed has posted is known where the feed is"),
    "link_page": Exported(),
    "link_page_slug": Exported(is_shared=True),
    "link_page_count": Exported(),
    "recurrence_occurrence": Exported(),
    "metric_profile": Exported(),
    "metric_latest": Exported(),
    "metric": Exported(),
    "metric_followers": Exported(),
    "recurrence_series": Exported(stays="a series would create posts by itself; its post becomes a draft"),
    "slot_block": Exported(stays="only while a file is being read"),
    "slot_reservation": Exported(stays="only posts that wait have slots, and those become drafts"),
    "member": Exported(
        stays=_PEOPLE,
        more={
            "email": "coalesce(t.email, (select u.email from app_user u where u.id = t.user_id))",
            "name": "(select u.name from app_user u where u.id = t.user_id)",
        },
    ),
    "api_key": Exported(without=("secret_hmac",), stays=_SECRET),
    "app": Exported(without=("secret_hmac",), stays=_SECRET),
    "app_grant": Exported(
        without=("access_hmac", "former_hmac"), stays="an app acts at the instance where it was allowed"
    ),
    "platform_invite": Exported(without=("token_hash",), stays=_SECRET),
    "approval_link": Exported(without=("token_hash", "code_hash", "code_expires_at", "code_tries"), stays=_SECRET),
    "calendar_link": Exported(without=("token_hash",), stays=_SECRET),
    "report_link": Exported(without=("token_hash", "sealed_token"), stays=_SECRET),
    "messenger_link": Exported(without=("phone_hash", "user_hash", "recipient"), stays=_SECRET),
    "delivery": Exported(
        without=("body", "crashes"), more={"body": "convert_from(t.body, 'UTF8')"}, stays="what was sent is sent"
    ),
    "ticket": Exported(without=("words", "assignee_id", "note_count"), stays=_OPERATOR),
    "ticket_message": Exported(condition="not t.internal", stays=_OPERATOR),
    "ticket_vote": Exported(stays=_OPERATOR),
    "usage": Exported(stays=_OPERATOR),
    "subscription": Exported(stays=_OPERATOR),
    "billing_feedback": Exported(stays=_OPERATOR),
    "billing_payment": Exported(stays=_OPERATOR),
    "audit": Exported(stays=_LOG),
    "audit_seal": Exported(stays=_LOG),
}
"""Table -> what is exported, in the order in which an import writes them: what refers to a table comes after it."""

NOT_EXPORTED: Final[Mapping[str, str]] = {
    "comment_push": "whether a network says at once that there is a comment",
    "comment_source": "when a network is asked next",
    "billing_event": "ids of notifications, kept so that none counts twice",
    "billing_former_customer": "ids at the provider of payments",
    "billing_handover": "valid for days",
    "job": "work of this instance",
    "lane": "work of this instance",
    "idempotency": "responses to repeat for a day, sealed; what they say stands elsewhere",
    "mail_message": "mail that was not sent, sealed; what it says stands elsewhere",
    "messenger_code": "valid for minutes",
    "messenger_message": "sealed, and deleted once it is handled",
    "messenger_reply": "sealed, and deleted once it is sent",
    "metric_account": "made again by its job",
    "metric_day": "sums of `metric_latest`, made again by its triggers",
    "metric_schedule": "made again by its job",
    "oauth_flow": "valid for minutes",
    "post_count": "counted again as posts are imported",
    "post_count_change": "counted again as posts are imported",
    "request_log": "calls of the last days; what they changed stands in the audit log",
    "sandbox_clock": "valid for hours",
    "post_text": "made again from the posts",
    "search_pending": "made again from the posts",
    "search_progress": "made again from the posts",
    "session": "hashes of what signs in",
    "usage_notice": "which mail was sent",
    "workspace_export": "about this file, or the one before",
}
"""Table -> why nothing of it is in the archive."""

FILES: Final = ("storage_path", "thumbnail_path")
"""Columns of `media` that name a file which is in the archive."""
