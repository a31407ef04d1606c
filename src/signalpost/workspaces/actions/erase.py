"""Erasure: in small transactions, so that a large workspace holds up nobody."""

from typing import Final
from uuid import UUID

from signalpost.audit.actions import purge
from signalpost.audit.actions import record as audit
from signalpost.billing.actions import feedback as billing
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.events import Actor
from signalpost.identity.actions import deletion
from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.media.actions.erase import erase_files
from signalpost.workspaces.actions.export import erase_export

ROWS: Final = 1_000
FILES: Final = 50
# The newest first: what was made by another row of the table is younger than that one.
_DELETE: Final = """
delete from {table} where ctid = any(array(
    select ctid from {table} where workspace_id = $1 {condition} order by {order} limit $2))
"""
_ORDERS: Final = {"account": "created_at desc", "api_key": "created_at desc"}
_CONDITIONS: Final = {"lane": "and owner is null"}
_UNTIE: Final = "update account set parent_account_id = null where workspace_id = $1 and parent_account_id is not null"
_LANES: Final = "select exists (select from lane where workspace_id = $1)"

ERASED: Final = (
    "ticket_vote", "ticket_message", "ticket",
    "messenger_reply", "messenger_message", "messenger_code", "messenger_link",
    "metric_schedule", "metric", "metric_latest", "metric_day", "metric_account", "metric_followers", "metric_profile",
    "slot_block", "slot_reservation", "slot_queue", "recurrence_occurrence", "recurrence_series",
    "comment_rule_use", "comment_rule", "comment_reply", "comment", "comment_source", "comment_push", "saved_reply",
    "attempt", "target", "search_pending", "search_progress", "post_text", "post_message", "post",
    "post_count_change", "post_count",
    "feed_item", "feed", "delivery", "webhook", "oauth_flow", "account", "platform_invite", "approval_link",
    "snippet", "calendar_link", "report_link", "link_page_count", "link_page_slug", "link_page",
    "profile_link_history", "profile_link", "media",
    "workspace_export", "profile", "app_grant", "app",
    "api_key", "session", "member", "mail_message", "job", "lane", "sandbox_clock",
    "usage_notice", "billing_handover",
)  # fmt: skip
"""What is erased, in this order: what refers to a table comes before it. A test finds tables that are in no list."""

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


_NEXT: Final = "select case {} end".format(
    " ".join(
        f"when exists (select from {table} where workspace_id = $1 {_CONDITIONS.get(table, '')}) then '{table}'"
        for table in ERASED
    )
)
"""The first of these tables that has a row of the workspace."""


async def find_expired(db: Db, limit: int) -> list[UUID]:
    """Return workspaces that were deleted 30 days ago and still have something."""
    return await deletion.deleted_before(db, days=30, limit=limit)


async def erase_step(context: AppContext, lease: Lease, workspace_id: UUID) -> bool:
    """Erase up to a thousand rows, or the bytes of fifty files; return whether the workspace is erased.

    May run again: what is gone is gone, and a file whose bytes cannot be removed keeps its row until they can.
    """
    async with lease.transaction() as db:
        table = await db.fetchval(_NEXT, workspace_id)
    if table is not None:
        await _erase_some(context, lease, workspace_id, table)
        return False
    async with lease.transaction() as db:
        if await purge.purge_of_erased(db, workspace_id, limit=ROWS):
            return False
    async with lease.transaction() as db:
        if await db.fetchval(_LANES, workspace_id):  # a worker has it
            return False
        await billing.forget_comments(db, workspace_id)
        await deletion.mark_erased(db, workspace_id)
        await audit.record(db, _entry(workspace_id))
    return True


async def _erase_some(context: AppContext, lease: Lease, workspace_id: UUID, table: str) -> None:
    if table == MEDIA:
        await erase_files(context, lease, workspace_id, FILES)
        return
    if table == EXPORT:
        await erase_export(context, lease, workspace_id)
        return
    async with lease.transaction() as db:
        if table == "account":
            await db.execute(_UNTIE, workspace_id)
        await db.execute(_statement(table), workspace_id, ROWS)


def _entry(workspace_id: UUID) -> audit.Entry:
    """Return what the history of the installation keeps, since that of the workspace is gone."""
    actor = Actor(type="system", id=None, name=None)
    subject = ids.encode("wsp", workspace_id)
    return audit.Entry(workspace_id=audit.INSTALLATION, action="erase_workspace", actor=actor, subject=subject)


def _statement(table: str) -> str:
    return _DELETE.format(table=table, condition=_CONDITIONS.get(table, ""), order=_ORDERS.get(table, "ctid"))
