"""What a workspace that goes to another person, or away, means for the card that pays for it."""

from typing import Final
from uuid import UUID

from signalpost import mail
from signalpost.billing import queries
from signalpost.billing.errors import BillingActive
from signalpost.billing.states import LIVE
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.identity import members
from signalpost.identity import queries as identity
from signalpost.identity.members import MemberRow
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.plans import limits

CLOSE_JOB: Final = "billing.close"
_TEMPLATE: Final = "ownership_moved"
# The card of the owner before must not be charged any more. If the workspace goes back to whose card it is, that stays
# so until what was charged meanwhile is read and given back.
_MOVE: Final = """
update subscription set payer_id = coalesce(payer_id, $2), version = version + 1,
    payer_left_at = case when coalesce(payer_id, $2) = $3 then payer_left_at else coalesce(payer_left_at, $4) end
where workspace_id = $1
"""
_CLOSE: Final = "update subscription set closed_at = $2, version = version + 1 where workspace_id = $1"


async def lock(db: Db, workspace_id: UUID) -> None:
    """Have what a workspace pays stay as it is until the transaction ends. Call it before the members are locked."""
    await queries.find(db, workspace_id, lock=True)


async def require_movable(db: Db, workspace_id: UUID) -> None:
    """Ensure that no card would be charged for someone else's workspace. Call `lock` before.

    Raises:
        BillingActive: a subscription renews, or something is owed.
    """
    row = await queries.find(db, workspace_id)
    if row is not None and row.status in LIVE and row.status != "cancelled":
        raise BillingActive(f"The plan {row.plan} is charged to the card of its owner ({row.status}).")


async def moved(context: AppContext, db: Db, owner: MemberRow, successor: MemberRow) -> None:
    """Write that `successor` owns the workspace instead of `owner`, fit its members to the plan, and tell both."""
    workspace_id = owner.workspace_id
    assert owner.user_id is not None  # noqa: S101 - both are people, not invitations
    assert successor.user_id is not None  # noqa: S101
    terms = await identity.workspace_terms(context.settings, db, workspace_id)
    await members.fit(context, db, workspace_id, limits.MEMBERS.of(terms.plan))
    row = await queries.find(db, workspace_id)
    if row is not None:
        await db.execute(_MOVE, workspace_id, owner.user_id, successor.user_id, clock.now())
        await close_later(db, workspace_id)
    if context.settings.smtp_url is None:
        return
    values = {
        "workspace": await identity.workspace_name(db, workspace_id),
        "owner": owner.name or owner.email,
        "successor": successor.name or successor.email,
        "is_paid": row is not None and row.status in LIVE,
        "link": f"{context.fixed_url}/console/billing",
    }
    for person in (owner, successor):
        message = mail.Message(to=person.email, template=_TEMPLATE, values=values | {"is_owner": person is successor})
        await mail.enqueue(db, message, workspace_id=workspace_id)


async def closed(db: Db, workspace_id: UUID) -> None:
    """Note that a workspace is deleted: its payment pages close, and nothing is charged for it any more."""
    await db.execute(_CLOSE, workspace_id, clock.now())
    await close_later(db, workspace_id)


async def reopened(db: Db, workspace_id: UUID) -> None:
    """Note that a deleted workspace is restored."""
    await db.execute(_CLOSE, workspace_id, None)


async def close_later(db: Db, workspace_id: UUID) -> None:
    """Have the open pages closed at Stripe after this transaction, until it succeeds."""
    workspace = ids.encode("wsp", workspace_id)
    key = f"{CLOSE_JOB}/{workspace}/{ids.new_id()}"
    await jobs.enqueue(db, CLOSE_JOB, {"workspace": workspace}, unique_key=key, workspace_id=workspace_id)
