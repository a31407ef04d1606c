"""Subscriptions over time: periods, invoices, payments, retries, proration, schedules."""

import calendar
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from simulator.ledger import Entry

if TYPE_CHECKING:
    from simulator.stripe.api import Stripe

DUNNING_DAYS = (3, 5, 7)
"""When a failed payment is tried again, in days after the first try."""
DECLINED = "4000000000000002"
FAILS_LATER = "4000000000000341"
"""Stripe's numbers for tests: declined at once, and accepted but declined when it is charged."""
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

    def __init__(self, stripe: "Stripe") -> None:
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
        }  # fmt: skip
        self.stripe.keep(subscription)
        self.invoice(subscription, 0 if trial_days else amount, "subscription_create")
        self.stripe.happened("customer.subscription.created", subscription)
        return subscription

    # --- money -------------------------------------------------------------------------------------------------------

    def invoice(self, subscription: Object, amount: int, reason: str) -> Object:
        """Write an invoice and try to collect it; what is not positive is paid."""
        invoice: Object = {
            "id": self.stripe.make_id("in"), "object": "invoice", "customer": subscription["customer"],
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
        self.collect(subscription, invoice)
        return invoice

    def can_pay(self, subscription: Object) -> bool:
        method = self.card(subscription)
        return method is not None and method["hidden"]["number"] not in (DECLINED, FAILS_LATER)

    def card(self, subscription: Object) -> Object | None:
        """Return the card that pays: that of the subscription, else that of the customer."""
        settings = self.stripe.objects[subscription["customer"]]["invoice_settings"]
        return self.stripe.objects.get(
            subscription["default_payment_method"] or settings["default_payment_method"] or ""
        )

    def collect(self, subscription: Object, invoice: Object) -> bool:
        """Try to charge an open invoice."""
        invoice["attempt_count"] += 1
        if invoice["amount_due"] and not self.can_pay(subscription):
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
        return [
            found
            for found in self.stripe.of_kind("invoice")
            if found["status"] == "open"
            and found["parent"]["subscription_details"]["subscription"] == subscription["id"]
        ]

    def pay_open(self, subscription: Object) -> bool:
        """Try all open invoices again; if they are paid, the subscription is active."""
        for invoice in self.open_invoices(subscription):
            self.collect(subscription, invoice)
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
        if subscription["status"] == "past_due" and (unpaid := self.open_invoices(subscription)):
            tries = unpaid[0]["attempt_count"]
            if tries <= len(DUNNING_DAYS):
                steps.append(unpaid[0]["created"] + DUNNING_DAYS[tries - 1] * 86_400)
        return min(steps)

    def _step(self, subscription: Object) -> None:
        if self.now < self.item(subscription)["current_period_end"]:
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
        self.stripe.happened("customer.subscription.deleted", subscription)

    # --- changes -----------------------------------------------------------------------------------------------------

    def change_price(self, subscription: Object, price: Object) -> bool:
        """Change to another price now, and invoice the difference; False, and nothing is changed, if it is not paid."""
        item = self.item(subscription)
        start, ends, before = item["current_period_start"], item["current_period_end"], item["price"]
        same_interval = before["recurring"]["interval"] == price["recurring"]["interval"]
        left = (ends - self.now) / (ends - start)
        amount = round(price["unit_amount"] * (left if same_interval else 1) - before["unit_amount"] * left)
        if subscription["status"] == "trialing":
            item["price"] = price
        else:
            if amount > 0 and not self.can_pay(subscription):
                return False
            item["price"] = price
            if not same_interval:
                item |= {
                    "current_period_start": self.now,
                    "current_period_end": end_of(self.now, price["recurring"]["interval"]),
                }
            self.invoice(subscription, amount, "subscription_update")
        self.stripe.happened("customer.subscription.updated", subscription)
        return True

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
