"""Cards of customers, how they were entered, and the money that went through them: payments and refunds."""

from typing import Any

from simulator.ledger import Entry
from simulator.messages import Request, Response
from simulator.network import route
from simulator.stripe.part import Object, Part

GOOD_CARD = "4242424242424242"


class Cards(Part):
    @route("POST /v1/customers/{id}")
    def update_customer(self, request: Request) -> Response:
        given = self.parameters(request, "name", "email", "metadata", "invoice_settings", "description")
        customer = self.living_customer(request.args["id"])
        method_id = given.get("invoice_settings", {}).get("default_payment_method")
        if method_id is not None:
            customer["invoice_settings"]["default_payment_method"] = self.card_of(customer, method_id)["id"]
        customer |= {name: given[name] for name in ("name", "email", "description") if name in given}
        customer["metadata"] |= given.get("metadata", {})
        self.happened("customer.updated", customer)
        return self.shown(customer, given)

    def living_customer(self, customer_id: str) -> Object:
        customer = self.find("customer", customer_id, "customer")
        if customer.get("deleted"):
            raise self.refuse_with(400, f"No such customer: '{customer_id}'", code="resource_missing", param="customer")
        return customer

    def card_of(self, customer: Object, method_id: str) -> Object:
        """Return a card of this customer."""
        method = self.find("payment_method", method_id, "default_payment_method")
        if method["customer"] != customer["id"]:
            raise self.refuse_with(
                400, "The customer does not have a payment method with the ID.", param="default_payment_method"
            )
        return method

    @route("GET /v1/payment_methods")
    def list_payment_methods(self, request: Request) -> Response:
        given = self.parameters(request, "customer", "type", "limit")
        customer_id = self.required(given, "customer")
        found = [one for one in self.of_kind("payment_method") if one["customer"] == customer_id]
        return self.page(found, given, "/v1/payment_methods")

    @route("POST /v1/payment_methods/{id}/detach")
    def detach_payment_method(self, request: Request) -> Response:
        method = self.find("payment_method", request.args["id"])
        if method["customer"] is None:
            raise self.refuse_with(400, "The payment method you provided is not attached to a customer.")
        customer = self.objects[method["customer"]]
        method["customer"] = None
        if customer["invoice_settings"]["default_payment_method"] == method["id"]:
            customer["invoice_settings"]["default_payment_method"] = None
        for subscription in self.of_kind("subscription"):
            if subscription["default_payment_method"] == method["id"]:
                subscription["default_payment_method"] = None
        self.happened("payment_method.detached", method)
        return self.shown(method)

    @route("GET /v1/setup_intents/{id}")
    def read_setup_intent(self, request: Request) -> Response:
        return self.shown(self.find("setup_intent", request.args["id"]), self.parameters(request))

    def enter_card(self, customer: Object, number: str) -> Object:
        """Attach a card that a person entered; nothing is paid with it yet. Return how it was entered."""
        method = self.attach_card(customer, number)
        return self.keep(
            {
                "id": self.make_id("seti"), "object": "setup_intent", "status": "succeeded", "livemode": False,
                "customer": customer["id"], "payment_method": method["id"], "created": self.life.now, "metadata": {},
            }
        )  # fmt: skip

    def attach_card(self, customer: Object, number: str) -> Object:
        method: Object = {
            "id": self.make_id("pm"), "object": "payment_method", "type": "card", "customer": customer["id"],
            "card": {"brand": "visa", "last4": number[-4:], "exp_month": 12, "exp_year": 2034},
            "hidden": {"number": number}, "created": self.life.now, "livemode": False, "metadata": {},
        }  # fmt: skip
        self.happened("payment_method.attached", self.keep(method))
        return method

    def add_card(self, customer: Object, number: str) -> Object:
        """Attach a card to a customer and pay with it from now on."""
        method = self.attach_card(customer, number)
        customer["invoice_settings"]["default_payment_method"] = method["id"]
        for subscription in self.of_kind("subscription"):
            if subscription["customer"] == customer["id"]:
                subscription["default_payment_method"] = method["id"]
        self.happened("customer.updated", customer)
        return method

    # --- payments and refunds ----------------------------------------------------------------------------------------

    @route("GET /v1/invoice_payments")
    def list_invoice_payments(self, request: Request) -> Response:
        given = self.parameters(request, "invoice", "status", "limit")
        found = [
            one
            for one in self.of_kind("invoice_payment")
            if given.get("invoice") in (None, one["invoice"]) and given.get("status") in (None, one["status"])
        ]
        return self.page(found, given, "/v1/invoice_payments")

    def note_payment(self, invoice: Object, method_id: str | None) -> None:
        """Write that an invoice was paid, and by which card."""
        intent = self.keep(
            {
                "id": self.make_id("pi"), "object": "payment_intent", "amount": invoice["amount_due"],
                "currency": invoice["currency"], "status": "succeeded", "payment_method": method_id,
                "created": self.life.now, "customer": invoice["customer"], "hidden": {"refunded": 0},
            }
        )  # fmt: skip
        self.keep(
            {
                "id": self.make_id("inpay"), "object": "invoice_payment", "invoice": invoice["id"], "status": "paid",
                "amount_paid": invoice["amount_due"], "currency": invoice["currency"], "created": self.life.now,
                "is_default": True, "payment": {"type": "payment_intent", "payment_intent": intent["id"]},
            }
        )  # fmt: skip

    @route("POST /v1/refunds")
    def create_refund(self, request: Request) -> Response:
        given = self.parameters(request, "payment_intent", "amount", "reason", "metadata")
        intent = self.find("payment_intent", self.required(given, "payment_intent"), "payment_intent")
        amount = int(given.get("amount", intent["amount"] - intent["hidden"]["refunded"]))
        if amount <= 0 or intent["hidden"]["refunded"] + amount > intent["amount"]:
            raise self.refuse_with(
                400, f"Charge {intent['id']} has already been refunded.", code="charge_already_refunded"
            )
        intent["hidden"]["refunded"] += amount
        refund: Any = self.keep(
            {
                "id": self.make_id("re"), "object": "refund", "payment_intent": intent["id"], "amount": amount,
                "currency": intent["currency"], "status": "succeeded", "reason": given.get("reason"),
                "created": self.life.now, "metadata": given.get("metadata", {}),
            }
        )  # fmt: skip
        self.world.ledger.add(
            Entry(
                network=self.key, account_id=intent["customer"], kind="refund", remote_id=refund["id"],
                text=f"{amount} {intent['currency']}", at=self.world.clock(),
            )
        )  # fmt: skip
        self.happened("refund.created", refund)
        return self.shown(refund)
