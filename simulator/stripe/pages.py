"""The pages that a person sees at Stripe: the payment page, and the portal. Both are plain forms."""

import html
from typing import Any
from urllib.parse import parse_qs

from simulator.messages import Request, Response
from simulator.network import route
from simulator.stripe.cards import GOOD_CARD, Cards
from simulator.stripe.lifecycle import ASKS_ALWAYS, DECLINED
from simulator.stripe.part import Object

CHECKOUT_SECONDS = 86_400


class Pages(Cards):
    @route("POST /v1/checkout/sessions")
    def create_session(self, request: Request) -> Response:
        given = self.parameters(
            request, "mode", "customer", "client_reference_id", "success_url", "cancel_url", "line_items", "discounts",
            "subscription_data", "allow_promotion_codes", "automatic_tax", "customer_update", "tax_id_collection",
            "metadata", "setup_intent_data", "currency",
        )  # fmt: skip
        customer = self.living_customer(self.required(given, "customer"))
        if given.get("mode") == "setup":
            return self.shown(self.keep(self._setup_session(customer, given)), given)
        [line] = self.required(given, "line_items")
        price = self.find("price", line.get("price", ""), "line_items[0][price]")
        if not price["active"]:
            raise self.refuse_with(400, "The price specified is inactive.", param="line_items[0][price]")
        if given.get("mode") != "subscription":
            raise self.refuse_with(400, "The simulator knows the modes `subscription` and `setup`.", param="mode")
        if "discounts" in given and "allow_promotion_codes" in given:
            raise self.refuse_with(
                400, "You may only specify one of these parameters: allow_promotion_codes, discounts."
            )
        codes = [self.find("promotion_code", one["promotion_code"]) for one in given.get("discounts", [])]
        page_id = self.make_id("cs_test")
        session: Object = {
            "id": page_id, "object": "checkout.session", "mode": "subscription", "status": "open", "livemode": False,
            "customer": customer["id"], "client_reference_id": given.get("client_reference_id"),
            "created": self.life.now,
            "url": f"{self.url}/c/pay/{page_id}", "expires_at": self.life.now + CHECKOUT_SECONDS,
            "subscription": None,
            "success_url": self.required(given, "success_url"), "cancel_url": given.get("cancel_url"),
            "payment_status": "unpaid", "metadata": given.get("metadata", {}), "currency": price["currency"],
            "amount_total": price["unit_amount"] * (100 - sum(one["coupon_percent_off"] for one in codes)) // 100,
            "automatic_tax": {"enabled": given.get("automatic_tax", {}).get("enabled") == "true"},
            "hidden": {"price": price["id"], "data": given.get("subscription_data", {})},
        }  # fmt: skip
        return self.shown(self.keep(session), given)

    def _setup_session(self, customer: Object, given: Object) -> Object:
        """Return a page where a card is entered and nothing is paid."""
        if "line_items" in given or "subscription_data" in given:
            raise self.refuse_with(400, "You can not pass `line_items` in `setup` mode.", param="line_items")
        page_id = self.make_id("cs_test")
        return {
            "id": page_id, "object": "checkout.session", "mode": "setup", "status": "open", "livemode": False,
            "customer": customer["id"], "client_reference_id": given.get("client_reference_id"),
            "created": self.life.now, "url": f"{self.url}/c/pay/{page_id}", "subscription": None, "setup_intent": None,
            "expires_at": self.life.now + CHECKOUT_SECONDS, "success_url": self.required(given, "success_url"),
            "cancel_url": given.get("cancel_url"), "payment_status": "no_payment_required",
            "metadata": given.get("metadata", {}), "currency": self.required(given, "currency"), "amount_total": None,
        }  # fmt: skip

    @route("GET /v1/checkout/sessions/{id}")
    def read_session(self, request: Request) -> Response:
        session = self.find("checkout.session", request.args["id"])
        self._expire_when_due(session)
        return self.shown(session, self.parameters(request))

    def _expire_when_due(self, session: Object) -> None:
        if session["status"] == "open" and session["expires_at"] <= self.life.now:
            session |= {"status": "expired", "url": None}

    @route("POST /v1/checkout/sessions/{id}/expire")
    def expire_session(self, request: Request) -> Response:
        session = self.find("checkout.session", request.args["id"])
        self._expire_when_due(session)
        if session["status"] != "open":
            raise self.refuse_with(
                400,
                'Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of'
                f" `{session['status']}`.",
            )
        session |= {"status": "expired", "url": None}
        self.happened("checkout.session.expired", session)
        return self.shown(session)

    @route("GET /c/pay/{id}", auth=False)
    def checkout_page(self, request: Request) -> Response:
        session = self._open_session(request.args["id"])
        if session["mode"] == "setup":
            return _page("Enter a card", [], _card_form("Save"))
        price = self.objects[session["hidden"]["price"]]
        product = self.objects[price["product"]]
        trial = session["hidden"]["data"].get("trial_period_days")
        amount = f"{session['amount_total'] / 100:.2f} {price['currency'].upper()}"
        lines = [f"{product['name']}: {amount} per {price['recurring']['interval']}"]
        lines += [f"{trial} days free"] if trial else []
        return _page("Subscribe", lines, _card_form("Subscribe"))

    @route("POST /c/pay/{id}", auth=False)
    def pay(self, request: Request) -> Response:
        session = self._open_session(request.args["id"])
        fields = _fields(request)
        if fields.get("action") == "back":
            return _moved(session["cancel_url"] or session["success_url"])
        if fields.get("action") == "fail":
            return _page("Subscribe", ["The payment was not confirmed."], _card_form("Try again"), status=402)
        number = fields.get("card", "").replace(" ", "")
        if number == DECLINED or not (number.isdigit() and len(number) >= 14):
            return _page("Subscribe", ["Your card was declined."], _card_form("Subscribe"), status=402)
        if number == ASKS_ALWAYS and fields.get("action") != "confirm":
            return _page("Confirm at your bank", ["Your bank wants you to confirm this."], _bank_form(number))
        self.complete(session, number)
        return _moved(session["success_url"].replace("{CHECKOUT_SESSION_ID}", session["id"]))

    def _open_session(self, page_id: str) -> Object:
        session = self.find("checkout.session", page_id)
        self._expire_when_due(session)
        if session["status"] != "open":
            raise self.refuse(410, "This page is no longer available.")
        return session

    def complete(self, session: Object, card: str = GOOD_CARD) -> Object:
        """Finish a payment page as a person with this card; return the subscription, or how the card was entered."""
        if session["mode"] == "setup":
            entered = self.enter_card(self.objects[session["customer"]], card)
            session |= {"status": "complete", "setup_intent": entered["id"], "url": None}
            self.happened("checkout.session.completed", session)
            return entered
        customer, data = self.objects[session["customer"]], session["hidden"]["data"]
        method = self.add_card(customer, card)
        subscription = self.life.begin(
            customer, self.objects[session["hidden"]["price"]], method["id"],
            data=data, amount=session["amount_total"],
        )  # fmt: skip
        session |= {"status": "complete", "payment_status": "paid", "subscription": subscription["id"], "url": None}
        self.happened("checkout.session.completed", session)
        return subscription

    # --- the portal --------------------------------------------------------------------------------------------------

    @route("POST /v1/billing_portal/sessions")
    def create_portal(self, request: Request) -> Response:
        given = self.parameters(request, "customer", "return_url", "configuration", "flow_data")
        customer = self.living_customer(self.required(given, "customer"))
        page_id = self.make_id("bps")
        session: Object = {
            "id": page_id, "object": "billing_portal.session", "customer": customer["id"], "created": self.life.now,
            "return_url": given.get("return_url"), "url": f"{self.url}/p/session/{page_id}", "livemode": False,
            "configuration": "bpc_simulator",
        }  # fmt: skip
        return self.shown(self.keep(session))

    @route("GET /p/session/{id}", auth=False)
    def portal_page(self, request: Request) -> Response:
        session = self.find("billing_portal.session", request.args["id"])
        lines = [f"{one['id']}: {one['status']}" for one in self._subscriptions_of(session)]
        buttons = "".join(
            f'<button name="action" value="{action}">{action.title()}</button>'
            for action in ("cancel", "resume", "card", "back")
        )
        links = "".join(
            f'<p><a href="{invoice["hosted_invoice_url"]}">Pay {invoice["amount_due"] / 100:.2f}, which is owed</a></p>'
            for subscription in self._subscriptions_of(session)
            for invoice in self.life.open_invoices(subscription)
        )
        return _page("Manage your subscription", lines, f'{links}<input name="card" value="{GOOD_CARD}">{buttons}')

    @route("POST /p/session/{id}", auth=False)
    def use_portal(self, request: Request) -> Response:
        session = self.find("billing_portal.session", request.args["id"])
        fields = _fields(request)
        for subscription in self._subscriptions_of(session):
            match fields.get("action"):
                case "cancel" | "resume" as action:
                    ends = self.life.item(subscription)["current_period_end"]
                    subscription |= {
                        "cancel_at_period_end": action == "cancel",
                        "cancel_at": ends if action == "cancel" else None,
                        "canceled_at": self.life.now if action == "cancel" else None,
                    }
                    self.happened("customer.subscription.updated", subscription)
                case "card":
                    self.add_card(self.objects[session["customer"]], fields["card"])
                    self.life.pay_open(subscription)
        return _moved(session["return_url"])

    # --- the page of an invoice --------------------------------------------------------------------------------------

    @route("GET /i/{id}", auth=False)
    def invoice_page(self, request: Request) -> Response:
        invoice = self.find("invoice", request.args["id"])
        amount = f"{invoice['amount_due'] / 100:.2f} {invoice['currency'].upper()}"
        if invoice["status"] != "open":
            return _page("Invoice", [f"{amount}: {invoice['status']}"], "")
        return _page("Invoice", [f"{amount} to pay", "Your bank wants you to confirm this payment."], _bank_form(""))

    @route("POST /i/{id}", auth=False)
    def pay_invoice(self, request: Request) -> Response:
        invoice = self.find("invoice", request.args["id"])
        if invoice["status"] != "open":
            raise self.refuse(410, "This invoice can no longer be paid.")
        if _fields(request).get("action") != "confirm":
            return _page("Invoice", ["The payment was not confirmed."], _bank_form(""), status=402)
        if not self.life.pay_with_holder(invoice):
            return _page("Invoice", ["Your card was declined."], "", status=402)
        return _page("Invoice", ["Paid. Thank you. You can close this page."], "")

    def _subscriptions_of(self, session: Object) -> list[Object]:
        return [
            one
            for one in self.of_kind("subscription")
            if one["customer"] == session["customer"] and one["status"] != "canceled"
        ]


def _card_form(action: str) -> str:
    return (
        f'<label>Card <input name="card" value="{GOOD_CARD}" autocomplete="off"></label>'
        f'<button name="action" value="pay">{action}</button><button name="action" value="back">Back</button>'
    )


def _bank_form(number: str) -> str:
    return (
        f'<input type="hidden" name="card" value="{number}"><button name="action" value="confirm">Confirm</button>'
        '<button name="action" value="fail">Do not confirm</button>'
    )


def _fields(request: Request) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(request.body.decode()).items()}


def _page(title: str, lines: list[str], form: str, status: int = 200) -> Response:
    shown = "".join(f"<p>{html.escape(line)}</p>" for line in lines if line)
    body = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><body><h1>{title}</h1>{shown}'
        f'<form method="post">{form}</form></body></html>'
    )
    return Response(status, body=body.encode(), headers={"Content-Type": "text/html; charset=utf-8"})


def _moved(url: Any) -> Response:
    return Response(303, body=b"", headers={"Location": str(url)})
