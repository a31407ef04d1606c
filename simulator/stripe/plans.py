"""Subscriptions, their schedules and invoices, over the API."""

from typing import Any

from simulator.messages import Request, Response
from simulator.network import route
from simulator.stripe.lifecycle import ENDED, end_of
from simulator.stripe.part import Object, Part

_MAY_WAIT = {"items", "proration_behavior", "payment_behavior", "expand"}
_REFUSALS = {
    "declined": ("Your card was declined.", "card_declined"),
    "requires_action": (
        "Payment for this subscription requires additional user action before it can be completed successfully.",
        "subscription_payment_intent_requires_action",
    ),
}


class Plans(Part):
    @route("GET /v1/subscriptions")
    def list_subscriptions(self, request: Request) -> Response:
        given = self.parameters(request, "customer", "status", "limit", "price", "starting_after")
        if (customer_id := given.get("customer")) is not None:
            self.find("customer", customer_id, "customer")
        status = given.get("status")
        found = [
            one
            for one in self.of_kind("subscription")
            if customer_id in (None, one["customer"])
            and (one["status"] not in ENDED if status is None else status in ("all", one["status"]))
        ]
        if (after := given.get("starting_after")) is not None:
            self.find("subscription", after, "starting_after")
            found = found[: next((n for n, one in enumerate(found) if one["id"] >= after), len(found))]
        return self.page(found, given, "/v1/subscriptions")

    @route("GET /v1/subscriptions/{id}")
    def read_subscription(self, request: Request) -> Response:
        return self.shown(self.find("subscription", request.args["id"]), self.parameters(request))

    @route("POST /v1/subscriptions/{id}")
    def update_subscription(self, request: Request) -> Response:
        given = self.parameters(
            request, "items", "cancel_at_period_end", "proration_behavior", "payment_behavior", "metadata",
            "default_payment_method",
        )  # fmt: skip
        subscription = self._open(request.args["id"])
        if given.get("payment_behavior") == "pending_if_incomplete" and given.keys() - _MAY_WAIT:
            raise self.refuse_with(400, "With `pending_if_incomplete` only items and prorations can be changed.")
        if "default_payment_method" in given:
            customer = self.objects[subscription["customer"]]
            subscription["default_payment_method"] = self.card_of(customer, given["default_payment_method"])["id"]
            self.happened("customer.subscription.updated", subscription)
        if "cancel_at_period_end" in given:
            self._set_cancelling(subscription, cancelling=self.flag(given, "cancel_at_period_end"))
        if "items" in given:
            self._set_items(subscription, given)
        subscription["metadata"] |= given.get("metadata", {})
        return self.shown(subscription, given)

    def _open(self, subscription_id: str) -> Object:
        subscription = self.find("subscription", subscription_id)
        if subscription["status"] in ENDED:
            raise self.missing("subscription", subscription_id)
        return subscription

    def _set_cancelling(self, subscription: Object, *, cancelling: bool) -> None:
        if subscription["schedule"] is not None:
            raise self.refuse_with(
                400,
                f"The subscription is managed by the subscription schedule `{subscription['schedule']}`, and updating"
                " any cancelation behavior directly is not allowed. Please update the schedule instead.",
            )
        ends = self.life.item(subscription)["current_period_end"]
        subscription |= {
            "cancel_at_period_end": cancelling, "cancel_at": ends if cancelling else None,
            "canceled_at": self.life.now if cancelling else None,
        }  # fmt: skip
        self.happened("customer.subscription.updated", subscription)

    def _set_items(self, subscription: Object, given: Object) -> None:
        item = self.life.item(subscription)
        [change] = given["items"]
        if change.get("id") != item["id"]:
            raise self.missing("subscription item", str(change.get("id")), "items[0][id]")
        price = self.find("price", change.get("price", ""), "items[0][price]")
        if price["currency"] != subscription["currency"]:
            raise self.refuse_with(400, "The price specified only supports another currency.", param="items[0][price]")
        may_wait = given.get("payment_behavior") == "pending_if_incomplete"
        if price["id"] == item["price"]["id"]:
            return
        outcome = self.life.change_price(subscription, price, may_wait=may_wait)
        if outcome != "paid" and not may_wait:
            message, code = _REFUSALS[outcome]
            raise self.refuse_with(402, message, code=code)

    @route("DELETE /v1/subscriptions/{id}")
    def cancel_subscription(self, request: Request) -> Response:
        subscription = self._open(request.args["id"])
        self.life.end(subscription)
        return self.shown(subscription)

    @route("POST /v1/subscriptions/{id}/resume")
    def resume_subscription(self, request: Request) -> Response:
        given = self.parameters(request, "billing_cycle_anchor", "proration_behavior")
        subscription = self._open(request.args["id"])
        if subscription["status"] != "paused":
            raise self.refuse_with(400, "This subscription cannot be resumed because it is not paused.")
        item, now = self.life.item(subscription), self.life.now
        item |= {"current_period_start": now, "current_period_end": end_of(now, item["price"]["recurring"]["interval"])}
        is_paid = self.life.collect(
            self.life.invoice(subscription, item["price"]["unit_amount"], "subscription_update")
        )
        self.life.set_status(subscription, "active" if is_paid else "past_due")
        return self.shown(subscription, given)

    def pause(self, subscription: Object) -> None:
        """Pause a subscription, as a trial does that ends without a card."""
        self.life.set_status(subscription, "paused")

    # --- schedules ---------------------------------------------------------------------------------------------------

    @route("POST /v1/subscription_schedules")
    def create_schedule(self, request: Request) -> Response:
        given = self.parameters(request, "from_subscription", "metadata")
        subscription = self._open(self.required(given, "from_subscription"))
        if subscription["schedule"] is not None:
            raise self.refuse_with(
                400,
                "You cannot migrate a subscription that is already attached to a schedule.",
                param="from_subscription",
            )
        if subscription["cancel_at_period_end"]:
            raise self.refuse_with(400, "You cannot migrate a subscription that is set to cancel.")
        return self.shown(self.life.schedule_of(subscription))

    @route("GET /v1/subscription_schedules/{id}")
    def read_schedule(self, request: Request) -> Response:
        return self.shown(self.find("subscription_schedule", request.args["id"]), self.parameters(request))

    @route("POST /v1/subscription_schedules/{id}")
    def update_schedule(self, request: Request) -> Response:
        given = self.parameters(request, "phases", "end_behavior", "proration_behavior", "metadata")
        schedule = self._active(request.args["id"])
        phases: list[Object] = []
        for number, phase in enumerate(given.get("phases", [])):
            phases.append(self._phase(phase, number, phases[-1]["end_date"] if phases else None))
        current = schedule["current_phase"]
        if phases and phases[0]["start_date"] != current["start_date"]:
            raise self.refuse_with(
                400, "You can not modify the start date of the current phase.", param="phases[0][start_date]"
            )
        if phases and self.objects[phases[0]["items"][0]["price"]] != self._price_of(schedule):
            raise self.refuse_with(400, "The simulator keeps the price of the current phase.", param="phases[0][items]")
        schedule["phases"] = phases or schedule["phases"]
        schedule["end_behavior"] = given.get("end_behavior", schedule["end_behavior"])
        self.happened("subscription_schedule.updated", schedule)
        self.happened("customer.subscription.updated", self.objects[schedule["subscription"]])
        return self.shown(schedule, given)

    def _price_of(self, schedule: Object) -> Any:
        return self.life.item(self.objects[schedule["subscription"]])["price"]

    def _active(self, schedule_id: str) -> Object:
        schedule = self.find("subscription_schedule", schedule_id)
        if schedule["status"] != "active":
            raise self.refuse_with(400, f"You cannot change a schedule that is in the `{schedule['status']}` status.")
        return schedule

    def _phase(self, given: Object, number: int, follows: int | None) -> Object:
        known = {"items", "start_date", "end_date", "duration", "trial_end", "metadata", "proration_behavior"}
        if unknown := sorted(given.keys() - known):
            raise self.refuse_with(
                400, f"Received unknown parameter: phases[{number}][{unknown[0]}]", code="parameter_unknown"
            )
        start = int(given["start_date"]) if "start_date" in given else follows
        items = [
            {"price": self.find("price", item["price"])["id"], "quantity": int(item.get("quantity", 1))}
            for item in given["items"]
        ]
        if start is None:
            raise self.refuse_with(400, "The first phase needs a start date.", param="phases[0][start_date]")
        end = int(given["end_date"]) if "end_date" in given else end_of(start, given["duration"]["interval"])
        if end <= start:
            raise self.refuse_with(
                400, "The end date must be after the start date.", param=f"phases[{number}][end_date]"
            )
        trial_end = int(given["trial_end"]) if given.get("trial_end") else None
        metadata = given.get("metadata", {})
        return {"start_date": start, "end_date": end, "items": items, "trial_end": trial_end, "metadata": metadata}

    @route("POST /v1/subscription_schedules/{id}/release")
    def release_schedule(self, request: Request) -> Response:
        schedule = self._active(request.args["id"])
        self.life.release(schedule)
        return self.shown(schedule)

    # --- invoices ----------------------------------------------------------------------------------------------------

    @route("GET /v1/invoices")
    def list_invoices(self, request: Request) -> Response:
        given = self.parameters(request, "customer", "subscription", "status", "limit")
        found = [
            one
            for one in self.of_kind("invoice")
            if given.get("customer") in (None, one["customer"])
            and given.get("subscription") in (None, one["parent"]["subscription_details"]["subscription"])
            and given.get("status") in (None, one["status"])
        ]
        return self.page(found, given, "/v1/invoices")

    @route("POST /v1/invoices/{id}/void")
    def void_invoice(self, request: Request) -> Response:
        self.parameters(request)
        invoice = self.find("invoice", request.args["id"])
        if invoice["status"] != "open":
            raise self.refuse_with(400, f"You can only void an open invoice; this one is {invoice['status']}.")
        subscription = self.life.subscription_of(invoice)
        if invoice is self.life.invoice_of_change(subscription):
            self.life.drop_change(subscription, "voided")
        else:
            invoice["status"] = "void"
            self.happened("invoice.voided", invoice)
        return self.shown(invoice)
