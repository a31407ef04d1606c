"""Someone else pays from now on: the successor enters a card, then the workspace becomes theirs.

The subscription stays where it is at Stripe, and only its card changes: nobody pays twice, and nothing stands still.
"""

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from signalpost import mail
from signalpost.audit.actions import record as audit
from signalpost.audit.documents import Change
from signalpost.billing import queries, remote
from signalpost.billing.actions.checkout import expire, require_addresses, require_owner, require_session
from signalpost.billing.actions.ownership import moved
from signalpost.billing.actions.refresh import read_batch, refresh
from signalpost.billing.catalog import CURRENCY
from signalpost.billing.errors import BillingNotConfigured, SubscriptionPastDue
from signalpost.billing.queries import HandoverRow, SubscriptionRow
from signalpost.billing.schemas import PayerPageCreate
from signalpost.billing.states import LIVE, PAYING, chosen
from signalpost.billing.stripe import Refused, Stripe, not_possible
from signalpost.context import AppContext
from signalpost.identity import members
from signalpost.identity import queries as identity
from signalpost.identity.members import MemberRow
from signalpost.kit import clock, foreign, ids, log, problems
from signalpost.kit.db import Db
from signalpost.web.caller import Caller
from signalpost.web.fields import MemberId

DAYS: Final = 7
CARDS_MAX: Final = 100
READ_AGAIN_AFTER: Final = timedelta(seconds=5)
_log = log.get("billing")
_OFFER: Final = """
insert into billing_handover (workspace_id, user_id, offered_by, moves_ownership, expires_at)
values ($1, $2, $3, $4, $5)
on conflict (workspace_id) do update set user_id = excluded.user_id, offered_by = excluded.offered_by,
    moves_ownership = excluded.moves_ownership, checkout_id = null, expires_at = excluded.expires_at
"""
_SET_PAGE: Final = """
update billing_handover set checkout_id = $2
where workspace_id = $1 and user_id = $3 and checkout_id is not distinct from $4 returning true
"""
_END: Final = """
delete from billing_handover
where workspace_id = $1 and user_id = $2 and offered_by = $3 and checkout_id is not distinct from $4 returning true
"""
_TAKE_OVER: Final = """
update subscription set payer_id = $2, payer_left_at = null, version = version + 1 where workspace_id = $1
"""
_CLEAR_CHECKOUT: Final = "update subscription set checkout_id = null where workspace_id = $1 and checkout_id = $2"


async def offer_handover(context: AppContext, caller: Caller, member_id: UUID) -> HandoverRow:
    """Offer a member the ownership together with the payments; another offer ends.

    Raises:
        Forbidden: the caller is not the owner.
        ValidationFailed: there is no such member.
        InvalidState: the member is not an active admin, nothing would be charged, or the one before entered a card.
        SubscriptionPastDue: something is owed; that stays with the one who owes it.
        BillingDisabled, BillingNotConfigured, Unavailable: see `Stripe`.
    """
    require_owner(caller, "hand the payments over")
    stripe, now = Stripe(context), clock.now()
    async with context.database.connection() as db:
        former = await queries.find_handover(db, caller.workspace_id, now)
    if former is not None and former.checkout_id is not None:
        await _require_not_entered(stripe, former.checkout_id)
    async with context.database.transaction() as db:
        row = await queries.find(db, caller.workspace_id, lock=True)
        successor = await members.find(db, caller, member_id)
        if successor is None:
            raise problems.ValidationFailed(errors=[MemberId.not_found("/memberId")])
        if successor.user_id in (None, caller.user_id) or successor.status != "active":
            raise problems.InvalidState(
                "Only another active member can take over.", remediation="`GET /team` shows who is active."
            )
        if successor.role != "admin":
            raise problems.InvalidState(
                "Only an admin sees what the workspace pays, and can take it over.",
                remediation='Make the member an admin first: `PATCH /team/{id}` with {"role": "admin"}.',
            )
        if row is None or row.status not in LIVE or row.status == "cancelled":
            raise problems.InvalidState(
                "Nothing will be charged for this workspace.", remediation="Use `POST /team/transfer`."
            )
        if row.status == "past_due":
            raise SubscriptionPastDue("A payment failed. Pay it first: a debt is not handed over.")
        before = await queries.find_handover(db, caller.workspace_id, now)
        assert successor.user_id is not None  # noqa: S101 - see above
        await _offer(
            db, caller.workspace_id, successor.user_id, caller.user_id,
            moves_ownership=True, expires_at=now + timedelta(days=DAYS),
        )  # fmt: skip
        offered = await queries.find_handover(db, caller.workspace_id, now)
        assert offered is not None  # noqa: S101 - written above
        await _mail_offer(context, db, caller, successor)
    if before is not None and before.checkout_id is not None:
        await expire(stripe, before.checkout_id)
    return offered


async def _mail_offer(context: AppContext, db: Db, caller: Caller, successor: MemberRow) -> None:
    if context.settings.smtp_url is None:
        return
    workspace = await identity.find_my_workspace(db, caller, caller.workspace_id)
    values = {
        "workspace": workspace.name if workspace else "",
        "owner": caller.user_name,
        "days": DAYS,
        "link": f"{context.fixed_url}/console/billing",
    }
    message = mail.Message(to=successor.email, template="handover_offered", values=values)
    await mail.enqueue(db, message, workspace_id=caller.workspace_id)


async def withdraw_handover(context: AppContext, caller: Caller) -> None:
    """Take an offer back, or decline it. The page for the card is closed first.

    Raises:
        Forbidden: the caller is neither the owner nor the one who was offered it.
        InvalidState: there is none, or the card was entered already.
        BillingDisabled, BillingNotConfigured, Unavailable: see `Stripe`.
    """
    require_session(caller, "take an offer back")
    stripe = Stripe(context)
    async with context.database.connection() as db:
        row = await queries.find_handover(db, caller.workspace_id, clock.now())
    if row is None or row.user_id != caller.user_id:
        require_owner(caller, "take an offer back")
    if row is None:
        raise problems.InvalidState("Nobody was offered this workspace.")
    if row.checkout_id is not None:
        await expire(stripe, row.checkout_id)
        await _require_not_entered(stripe, row.checkout_id)
    async with context.database.transaction() as db:
        if not await end_handover(db, row):
            raise problems.InvalidState("The offer was changed at this moment.")


async def open_payer_page(context: AppContext, caller: Caller, data: PayerPageCreate) -> tuple[str, str, datetime]:
    """Open the page where the caller enters a card; return its address, its id and when it expires.

    Raises:
        Forbidden: the caller was not offered to pay, and does not own what another person pays for.
        ValidationFailed: an address cannot be used.
        InvalidState: another page was opened at this moment.
        BillingDisabled, BillingNotConfigured, Unavailable: see `Stripe`.
    """
    require_session(caller, "enter a card")
    stripe, now = Stripe(context), clock.now()
    async with context.database.transaction() as db:
        row = await queries.find(db, caller.workspace_id, lock=True)
        offered = await queries.find_handover(db, caller.workspace_id, now)
        if offered is None and _pays_for_another(caller, row):
            expires_at = now + timedelta(days=DAYS)
            await _offer(
                db, caller.workspace_id, caller.user_id, caller.user_id, moves_ownership=False, expires_at=expires_at
            )
            offered = await queries.find_handover(db, caller.workspace_id, now)
        stands = offered is not None and offered.user_id == caller.user_id and await _may_take_over(db, offered)
    if row is None or offered is None or not stands:
        raise problems.Forbidden(
            "You were not offered to pay for this workspace.",
            remediation="Its owner offers it with `POST /billing/handover`.",
        )
    require_addresses(successUrl=data.success_url, cancelUrl=data.cancel_url)
    if offered.checkout_id is not None:
        await expire(stripe, offered.checkout_id)
    workspace_id = ids.encode("wsp", caller.workspace_id)
    parameters = {
        "mode": "setup", "customer": row.customer_id, "currency": CURRENCY, "client_reference_id": workspace_id,
        "success_url": data.success_url, "cancel_url": data.cancel_url,
        "metadata": {remote.WORKSPACE_KEY: workspace_id},
    }  # fmt: skip
    try:
        page = await stripe.post("checkout/sessions", parameters)
    except Refused as refused:
        raise not_possible(refused) from None
    page_id, url = foreign.identifier(page.get("id")), foreign.url(page.get("url"))
    if page_id is None or url is None:
        raise BillingNotConfigured("The provider of payments opened no page.")
    async with context.database.transaction() as db:
        noted = await db.fetchval(_SET_PAGE, offered.workspace_id, page_id, offered.user_id, offered.checkout_id)
    if not noted:
        await expire(stripe, page_id)
        raise problems.InvalidState("Another page was opened at this moment, or the offer ended.")
    return url, page_id, remote.instant(page, "expires_at")


async def _offer(
    db: Db, workspace_id: UUID, user_id: UUID, offered_by: UUID, *, moves_ownership: bool, expires_at: datetime
) -> None:
    """Write who may take over; whoever was offered it before may no longer."""
    await db.execute(_OFFER, workspace_id, user_id, offered_by, moves_ownership, expires_at)


async def end_handover(db: Db, row: HandoverRow) -> bool:
    """End a handover as it was read; False if it changed since."""
    return await db.fetchval(_END, row.workspace_id, row.user_id, row.offered_by, row.checkout_id) is not None


def _pays_for_another(caller: Caller, row: SubscriptionRow | None) -> bool:
    """Whether the caller owns a workspace that runs out with the money of someone else."""
    return caller.role == "owner" and row is not None and row.status in LIVE and not row.is_paid_by(caller.user_id)


async def settle(context: AppContext, customer_id: str) -> None:
    """If the card of a successor was entered, pay with it, remove all others, and move the workspace. Safe to repeat.

    The old card is gone before the workspace moves: there is no moment in which it could pay for another's workspace.

    Raises:
        BillingDisabled, BillingNotConfigured, Unavailable: see `Stripe`; nothing has moved.
    """
    async with context.database.connection() as db:
        row = await queries.of_customer(db, customer_id)
        offered = await queries.find_handover(db, row.workspace_id, clock.now()) if row else None
    if row is None or offered is None or offered.checkout_id is None:
        return
    is_open = row.closed_at is None
    stripe = Stripe(context)
    page = await _read_page(stripe, offered.checkout_id)
    intent_id = foreign.identifier(page.get("setup_intent"))
    if page.get("status") != "complete" or intent_id is None:
        return
    try:
        intent = await stripe.get(f"setup_intents/{intent_id}")
        method_id = foreign.identifier(intent.get("payment_method"))
        if method_id is None:
            raise BillingNotConfigured("The provider of payments names no card.")
        async with context.database.connection() as db:
            possible = is_open and await _may_take_over(db, offered)
        if possible:
            await _pay_with(stripe, customer_id, method_id, offered)
        if not (possible and await _take_over(context, offered)):
            _log.warning("handover.void", workspace=str(offered.workspace_id))
            await _detach(stripe, method_id)
            async with context.database.transaction() as db:
                await end_handover(db, offered)
    except Refused as refused:
        raise not_possible(refused) from None


async def look_again(context: AppContext, caller: Caller) -> SubscriptionRow | None:
    """Read at Stripe what a workspace has, as if a notification had come; return the row.

    Raises:
        BillingDisabled, BillingNotConfigured, Unavailable: see `Stripe`.
    """
    Stripe(context)
    async with context.database.connection() as db:
        row = await queries.find(db, caller.workspace_id)
    if row is None or (row.read_at is not None and clock.now() - row.read_at < READ_AGAIN_AFTER):
        return row
    await settle(context, row.customer_id)
    return await refresh(context, row.customer_id) or row


async def read_open_pages(context: AppContext, now: datetime, *, after: UUID | None, limit: int) -> UUID | None:
    """Read a batch of those whose page may be completed; return the last one of it, or None at the end."""
    async with context.database.connection() as db:
        batch = await queries.open_pages(db, now, after=after, limit=limit)
    for _, customer_id in batch:
        try:
            await settle(context, customer_id)
        except problems.Unavailable:  # tried again in the next round
            return None
        except problems.Problem as problem:
            _log.warning("handover.unread", customer=customer_id, reason=problem.detail)
    return await read_batch(context, batch, limit)


async def close_pages(context: AppContext, workspace_id: UUID) -> None:
    """Close the pages of a workspace that is deleted or has another owner, and end what would be charged. Repeatable.

    Raises:
        BillingDisabled, BillingNotConfigured, Unavailable: see `Stripe`.
    """
    async with context.database.connection() as db:
        row = await queries.find(db, workspace_id)
    if row is None:
        return
    stripe = Stripe(context)
    await settle(context, row.customer_id)
    async with context.database.connection() as db:
        offered = await queries.find_handover(db, workspace_id, clock.now())
        is_void = offered and (row.closed_at is not None or not await _may_take_over(db, offered))
    if offered is not None and is_void:
        if offered.checkout_id is not None:
            await expire(stripe, offered.checkout_id)
        async with context.database.transaction() as db:
            await end_handover(db, offered)
    if row.checkout_id is not None:
        await expire(stripe, row.checkout_id)
        async with context.database.transaction() as db:
            await db.execute(_CLEAR_CHECKOUT, workspace_id, row.checkout_id)
    await refresh(context, row.customer_id)


async def _read_page(stripe: Stripe, page_id: str) -> dict[str, Any]:
    try:
        return await stripe.get(f"checkout/sessions/{page_id}")
    except Refused as refused:
        raise not_possible(refused) from None


async def _require_not_entered(stripe: Stripe, page_id: str) -> None:
    """Ensure that no card waits to be used: an offer that ends now would leave it with the customer."""
    if (await _read_page(stripe, page_id)).get("status") == "complete":
        raise problems.InvalidState("The card was entered already, so the workspace is being handed over.")


async def _people(db: Db, offered: HandoverRow) -> tuple[MemberRow | None, MemberRow | None]:
    owner = await members.find_of_user(db, offered.workspace_id, offered.offered_by)
    successor = await members.find_of_user(db, offered.workspace_id, offered.user_id)
    return owner, successor


async def _may_take_over(db: Db, offered: HandoverRow) -> bool:
    return _stands(*await _people(db, offered))


def _stands(owner: MemberRow | None, successor: MemberRow | None) -> bool:
    """Whether both still are what they were when it was offered: whoever lost rights meanwhile gets no workspace."""
    is_owner = owner is not None and owner.role == "owner"
    return is_owner and successor is not None and successor.status == "active" and successor.role in ("owner", "admin")


async def _pay_with(stripe: Stripe, customer_id: str, method_id: str, offered: HandoverRow) -> None:
    current = chosen(await remote.subscriptions(stripe, customer_id))
    if current is not None and current.status in PAYING:
        await remote.drop_confirmation(stripe, current)  # what the one before was to confirm is not charged any more
        await stripe.post(f"subscriptions/{current.id}", {"default_payment_method": method_id})
    settings = {"invoice_settings": {"default_payment_method": method_id}, "name": offered.name}
    await stripe.post(f"customers/{customer_id}", settings)
    listed = await stripe.get("payment_methods", {"customer": customer_id, "limit": CARDS_MAX})
    for entry in listed.get("data") or ():
        other = foreign.identifier(entry.get("id")) if isinstance(entry, dict) else None
        if other not in (None, method_id):
            await _detach(stripe, str(other))


async def _detach(stripe: Stripe, method_id: str) -> None:
    try:
        await stripe.post(f"payment_methods/{method_id}/detach")
    except Refused as refused:  # it is detached already
        _log.debug("card.detached_already", code=refused.code)


async def _take_over(context: AppContext, offered: HandoverRow) -> bool:
    """Write that the payments, and the workspace, went over; False if someone left at this moment."""
    async with context.database.transaction() as db:
        row = await queries.find(db, offered.workspace_id, lock=True)
        await members.lock(db, offered.workspace_id)
        if not await end_handover(db, offered):  # another process has done it, or it was offered again
            return row is not None and row.payer_id == offered.user_id
        owner, successor = await _people(db, offered)
        if owner is None or successor is None or not _stands(owner, successor):
            return False
        actor = audit.user(offered.user_id, offered.name)
        if offered.moves_ownership:
            await members.transfer(context, db, owner, successor)
            await moved(context, db, owner, successor)
            changes = [Change("owner", owner.name or owner.email, offered.name)]
            entry = audit.Entry(
                workspace_id=offered.workspace_id, action="transfer_ownership", actor=actor, changes=changes
            )
            await audit.record(db, entry)
        await db.execute(_TAKE_OVER, offered.workspace_id, offered.user_id)
        entry = audit.Entry(
            workspace_id=offered.workspace_id, action="payer_changed", actor=actor,
            changes=[Change("payer", None, offered.name)],
        )  # fmt: skip
        await audit.record(db, entry)
    return True
