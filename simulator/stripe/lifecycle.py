"""Subscriptions over time: periods, invoices, payments, retries, proration, schedules."""

import calendar
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from simulator.ledger import Entry
from simulator.world import World


class Store(Protocol):
    """What the life of a subscription asks of the API that it belongs to."""

    key: Any
    url: Any
    world: World
    objects: dict[str, dict[str, Any]]

    def make_id(self, prefix: str) -> str: ...
    def keep(self, made: dict[str, Any]) -> dict[str, Any]: ...
    def of_kind(self, kind: str) -> list[dict[str, Any]]: ...
    def happened(self, kind: str, about: dict[str, Any]) -> None: ...
    def note_payment(self, invoice: dict[str, Any], method_id: str | None) -> None: ...
    def at(self, seconds: int) -> AbstractContextManager[None]: ...


DUNNING_DAYS = (3, 5, 7)
"""When a failed payment is tried again, in days after the first try."""
DECLINED = "4000000000000002"
FAILS_LATER = "4000000000000341"
ASKS_ALWAYS = "4000002760003184"
"""Stripe's numbers for tests: declined at once; accepted but declined when it is charged; and one whose bank wants its
holder to confirm every payment (3-D Secure), so a renewal fails until they do."""
PENDING_SECONDS = 82_800
"""How long a change waits for its payment."""
Outcome = Literal["paid", "declined", "requires_action"]
ENDED = ("canceled", "incomplete_expired")

Object = dict[str, Any]


def end_of(start: int, interval: str) -> int:
    """Return the end of a period: the same day of the next month or year, or its last one."""
    begins = datetime.fromtimestamp(start, UTC)
    months = begins.year * 12 + begins.month - 1 + (12 if interval == "year" else 1)
    year, month = divmod(months, 12)
    day = min(begins.day, calendar.monthrange(year, month + 1)[1])
    return int(begins.replace(year=year, month=month + 1, day=day).timestamp())


class Lifecycle:
    """What time and payments do to the subscriptions of an account."""

    def __init__(self, stripe: Store) -> None:
        self.stripe = stripe
        self.after_dunning = "canceled"
        """What becomes of a subscription whose payments all failed: `canceled`, `unpaid` or `past_due`."""

    @property
    def now(self) -> int:
        return int(self.stripe.world.clock().timestamp())

    def item(self, subscription: Object) -> Object:
        found: Object = subscription["items"]["data"][0]
        return found

    def begin(self, customer: Object, price: Object, method_id: str, *, data: Object, amount: int) -> Object:
        """Create a subscription as a finished checkout does; `amount` is what the first period costs."""
        trial_days, metadata = int(data.get("trial_period_days", 0)), dict(data.get("metadata", {}))
        now = self.now
        ends = now + trial_days * 86_400 if trial_days else end_of(now, price["recurring"]["interval"])
        subscription_id = self.stripe.make_id("sub")
        item = {
            "id": self.stripe.make_id("si"), "object": "subscription_item", "price": price, "quantity": 1,
            "subscription": subscription_id, "created": now, "current_period_start": now, "current_period_end": ends,
            "metadata": {},
        }  # fmt: skip
        subscription: Object = {
            "id": subscription_id, "object": "subscription", "customer": customer["id"], "created": now,
            "status": "trialing" if trial_days else "active", "currency": price["currency"], "livemode": False,
            "items": {"object": "list", "data": [item], "has_more": False, "url": "/v1/subscription_items"},
            "cancel_at_period_end": False, "cancel_at": None, "canceled_at": None, "ended_at": None,
            "collection_method": "charge_automatically", "default_payment_method": method_id, "latest_invoice": None,
            "schedule": None, "trial_start": now if trial_days else None, "trial_end": ends if trial_days else None,
            "metadata": metadata, "billing_cycle_anchor": ends if trial_days else now, "start_date": now,
            "pending_update": None,
        }  # fmt: skip
        self.stripe.keep(subscription)
        self.collect(self.invoice(subscription, 0 if trial_days else amount, "subscription_create"), is_present=True)
        self.stripe.happened("customer.subscription.created", subscription)
        return subscription

    # --- money -------------------------------------------------------------------------------------------------------

    def invoice(self, subscription: Object, amount: int, reason: str) -> Object:
        """Write an invoice. Nothing is collected yet."""
        invoice_id = self.stripe.make_id("in")
        invoice: Object = {
            "id": invoice_id, "object": "invoice", "customer": subscription["customer"],
            "hosted_invoice_url": f"{self.stripe.url}/i/{invoice_id}",
            "created": self.now, "status": "open", "amount_due": max(amount, 0), "total": amount, "amount_paid": 0,
            "currency": subscription["currency"], "billing_reason": reason, "attempt_count": 0, "livemode": False,
            "parent": {
                "type": "subscription_details", "quote_details": None,
                "subscription_details": {"subscription": subscription["id"], "metadata": subscription["metadata"]},
            },
            "lines": {"object": "list", "data": [], "has_more": False, "url": "/v1/invoices/lines"},
            "metadata": {},
        }  # fmt: skip
        self.stripe.keep(invoice)
        subscription["latest_invoice"] = invoice["id"]
        return invoice

    def outcome(self, subscription: Object, *, is_present: bool = False) -> Outcome:
        """Return what comes of charging its card, with its holder at the screen or without."""
        method = self.card(subscription)
        number = DECLINED if method is None else method["hidden"]["number"]
        if number == ASKS_ALWAYS and not is_present:
            return "requires_action"
        return "declined" if number in (DECLINED, FAILS_LATER) else "paid"

    def card(self, subscription: Object) -> Object | None:
        """Return the card that pays: that of the subscription, else that of the customer."""
        settings = self.stripe.objects[subscription["customer"]]["invoice_settings"]
        return self.stripe.objects.get(
            subscription["default_payment_method"] or settings["default_payment_method"] or ""
        )

    def subscription_of(self, invoice: Object) -> Object:
        found: Object = self.stripe.objects[invoice["parent"]["subscription_details"]["subscription"]]
        return found

    def collect(self, invoice: Object, *, is_present: bool = False) -> bool:
        """Try to charge an open invoice; what costs nothing is paid."""
        subscription = self.subscription_of(invoice)
        invoice["attempt_count"] += 1
        outcome = self.outcome(subscription, is_present=is_present)
        if invoice["amount_due"] and outcome != "paid":
            if outcome == "requires_action":
                self.stripe.happened("invoice.payment_action_required", invoice)
            self.stripe.happened("invoice.payment_failed", invoice)
            return False
        invoice |= {"status": "paid", "amount_paid": invoice["amount_due"]}
        if invoice["amount_due"]:
            entry = Entry(
                network=self.stripe.key, account_id=invoice["customer"], kind="payment", remote_id=invoice["id"],
                text=f"{invoice['amount_due']} {invoice['currency']}", at=self.stripe.world.clock(),
            )  # fmt: skip
            self.stripe.world.ledger.add(entry)
            self.stripe.note_payment(invoice, (self.card(subscription) or {}).get("id"))
        self.stripe.happened("invoice.paid", invoice)
        return True

    def open_invoices(self, subscription: Object) -> list[Object]:
        """Return what is owed; not what a change would cost that waits for its payment."""
        return [
            found
            for found in self.stripe.of_kind("invoice")
            if found["status"] == "open"
            and found["parent"]["subscription_details"]["subscription"] == subscription["id"]
            and found is not self.invoice_of_change(subscription)
        ]

    def pay_open(self, subscription: Object) -> bool:
        """Try all open invoices again; if they are paid, the subscription is active."""
        for invoice in self.open_invoices(subscription):
            self.collect(invoice)
        return self.settled(subscription)

    def settled(self, subscription: Object) -> bool:
        """Whether nothing is owed; then the subscription is active."""
        paid = not self.open_invoices(subscription)
        if paid and subscription["status"] in ("past_due", "unpaid"):
            self.set_status(subscription, "active")
        return paid

    # --- time --------------------------------------------------------------------------------------------------------

    def catch_up(self) -> None:
        """Do what is due by the clock, in its order."""
        while True:
            steps = [
                (at, subscription)
                for subscription in self.stripe.of_kind("subscription")
                if (at := self._next_step(subscription)) is not None and at <= self.now
            ]
            if not steps:
                return
            at, subscription = min(steps, key=lambda step: (step[0], step[1]["id"]))
            with self.stripe.at(at):
                self._step(subscription)

    def _next_step(self, subscription: Object) -> int | None:
        if subscription["status"] in (*ENDED, "paused", "incomplete"):
            return None
        steps = [self.item(subscription)["current_period_end"]]
        if subscription["pending_update"] is not None:
            steps.append(subscription["pending_update"]["expires_at"])
        if subscription["status"] == "past_due" and (unpaid := self.open_invoices(subscription)):
            tries = unpaid[0]["attempt_count"]
            if tries <= len(DUNNING_DAYS):
                steps.append(unpaid[0]["created"] + DUNNING_DAYS[tries - 1] * 86_400)
        return min(steps)

    def _step(self, subscription: Object) -> None:
        if subscription["pending_update"] is not None and subscription["pending_update"]["expires_at"] <= self.now:
            self.drop_change(subscription, "expired")
        elif self.now < self.item(subscription)["current_period_end"]:
            self._try_again(subscription)
        elif subscription["cancel_at_period_end"]:
            self.end(subscription)
        else:
            self._renew(subscription)

    def _try_again(self, subscription: Object) -> None:
        if self.pay_open(subscription):
            return
        if self.open_invoices(subscription)[0]["attempt_count"] > len(DUNNING_DAYS):
            if self.after_dunning == "canceled":
                self.end(subscription)
            else:
                self.set_status(subscription, self.after_dunning)

    def _renew(self, subscription: Object) -> None:
        item = self.item(subscription)
        self._next_phase(subscription)
        start = item["current_period_end"]
        item |= {
            "current_period_start": start,
            "current_period_end": end_of(start, item["price"]["recurring"]["interval"]),
        }
        invoice = self.invoice(subscription, item["price"]["unit_amount"], "subscription_cycle")
        self.collect(invoice)
        if subscription["status"] == "unpaid":
            return
        self.set_status(subscription, "active" if invoice["status"] == "paid" else "past_due")

    def set_status(self, subscription: Object, status: str) -> None:
        subscription["status"] = status
        self.stripe.happened("customer.subscription.updated", subscription)

    def end(self, subscription: Object) -> None:
        """End a subscription now."""
        subscription |= {"status": "canceled", "canceled_at": self.now, "ended_at": self.now}
        if subscription["schedule"] is not None:
            self._let_go(subscription, "canceled")
        if subscription["pending_update"] is not None:
            self.drop_change(subscription, "expired")
        self.stripe.happened("customer.subscription.deleted", subscription)

    # --- changes -----------------------------------------------------------------------------------------------------

    def change_price(self, subscription: Object, price: Object, *, may_wait: bool) -> Outcome:
        """Change to another price now, and invoice the difference.

        If it is not paid, nothing is changed; with `may_wait` the change is made when its invoice is paid.
        """
        item = self.item(subscription)
        amount = self._difference(item, price)
        if subscription["status"] == "trialing":
            self._set_price(subscription, price)
            return "paid"
        outcome = self.outcome(subscription) if amount > 0 else "paid"
        if outcome == "paid":
            self._set_price(subscription, price)
            self.collect(self.invoice(subscription, amount, "subscription_update"))
        elif may_wait:
            self.drop_change(subscription, "expired")
            invoice = self.invoice(subscription, amount, "subscription_update")
            waiting = {key: value for key, value in item.items() if not key.startswith("current_period")}
            subscription["pending_update"] = {
                "expires_at": self.now + PENDING_SECONDS, "subscription_items": [waiting | {"price": price}],
                "billing_cycle_anchor": None, "trial_end": None, "trial_from_plan": None,
            }  # fmt: skip
            self.collect(invoice)
            self.stripe.happened("customer.subscription.updated", subscription)
        return outcome

    def _difference(self, item: Object, price: Object) -> int:
        start, ends, before = item["current_period_start"], item["current_period_end"], item["price"]
        left = (ends - self.now) / (ends - start)
        same_interval = before["recurring"]["interval"] == price["recurring"]["interval"]
        return round(price["unit_amount"] * (left if same_interval else 1) - before["unit_amount"] * left)

    def _set_price(self, subscription: Object, price: Object) -> None:
        item = self.item(subscription)
        if item["price"]["recurring"]["interval"] != price["recurring"]["interval"] and (
            subscription["status"] != "trialing"
        ):
            ends = end_of(self.now, price["recurring"]["interval"])
            item |= {"current_period_start": self.now, "current_period_end": ends}
        item["price"] = price
        self.stripe.happened("customer.subscription.updated", subscription)

    def invoice_of_change(self, subscription: Object) -> Object | None:
        """Return the invoice whose payment makes the change that waits for it."""
        if subscription["pending_update"] is None:
            return None
        found: Object = self.stripe.objects[subscription["latest_invoice"]]
        return found

    def pay_with_holder(self, invoice: Object) -> bool:
        """Pay an invoice on its page: the holder of the card confirms it."""
        subscription = self.subscription_of(invoice)
        is_change = invoice is self.invoice_of_change(subscription)
        if not self.collect(invoice, is_present=True):
            return False
        if is_change:
            [item] = subscription["pending_update"]["subscription_items"]
            subscription["pending_update"] = None
            self._set_price(subscription, item["price"])
            self.stripe.happened("customer.subscription.pending_update_applied", subscription)
        self.settled(subscription)
        return True

    def drop_change(self, subscription: Object, how: str) -> None:
        """Drop a change that waits for its payment: its invoice can no longer be paid."""
        invoice = self.invoice_of_change(subscription)
        if invoice is None:
            return
        invoice["status"] = "void"
        subscription["pending_update"] = None
        self.stripe.happened("invoice.voided", invoice)
        if how == "expired":
            self.stripe.happened("customer.subscription.pending_update_expired", subscription)
        self.stripe.happened("customer.subscription.updated", subscription)

    def schedule_of(self, subscription: Object) -> Object:
        """Make a schedule that does what the subscription does anyway."""
        item = self.item(subscription)
        phase = {
            "start_date": item["current_period_start"], "end_date": item["current_period_end"],
            "items": [{"price": item["price"]["id"], "quantity": 1, "metadata": {}}],
            "metadata": subscription["metadata"],
            "trial_end": subscription["trial_end"] if subscription["status"] == "trialing" else None,
        }  # fmt: skip
        schedule: Object = {
            "id": self.stripe.make_id("sub_sched"), "object": "subscription_schedule", "status": "active",
            "customer": subscription["customer"], "subscription": subscription["id"], "created": self.now,
            "end_behavior": "release", "phases": [phase], "released_subscription": None, "livemode": False,
            "current_phase": {"start_date": phase["start_date"], "end_date": phase["end_date"]}, "metadata": {},
        }  # fmt: skip
        self.stripe.keep(schedule)
        subscription["schedule"] = schedule["id"]
        self.stripe.happened("subscription_schedule.created", schedule)
        self.stripe.happened("customer.subscription.updated", subscription)
        return schedule

    def release(self, schedule: Object) -> None:
        subscription = self.stripe.objects[schedule["subscription"]]
        self._let_go(subscription, "released")
        self.stripe.happened("customer.subscription.updated", subscription)

    def _let_go(self, subscription: Object, status: str) -> None:
        schedule = self.stripe.objects[subscription["schedule"]]
        schedule |= {"status": status, "released_subscription": subscription["id"], "subscription": None}
        schedule["current_phase"] = None
        subscription["schedule"] = None
        self.stripe.happened(f"subscription_schedule.{status}", schedule)

    def _next_phase(self, subscription: Object) -> None:
        """Enter the phase of the schedule that begins now; after the last one the subscription goes on by itself."""
        if subscription["schedule"] is None:
            return
        schedule = self.stripe.objects[subscription["schedule"]]
        following = [phase for phase in schedule["phases"] if phase["start_date"] >= self.now]
        if not following:
            self._let_go(subscription, "released")
            return
        phase = following[0]
        self.item(subscription)["price"] = self.stripe.objects[phase["items"][0]["price"]]
        schedule["current_phase"] = {"start_date": phase["start_date"], "end_date": phase["end_date"]}
        self.stripe.happened("subscription_schedule.updated", schedule)
