"""Customers, products, prices and promotion codes."""

from simulator.messages import Request, Response
from simulator.network import route
from simulator.stripe.part import Object, Part


class Catalogue(Part):
    @route("POST /v1/customers")
    def create_customer(self, request: Request) -> Response:
        given = self.parameters(request, "name", "email", "metadata", "description")
        customer: Object = {
            "id": self.make_id("cus"), "object": "customer", "created": self.life.now, "livemode": False,
            "name": given.get("name"), "email": given.get("email"), "metadata": given.get("metadata", {}),
            "description": given.get("description"), "invoice_settings": {"default_payment_method": None},
            "default_source": None, "currency": None,
        }  # fmt: skip
        self.happened("customer.created", self.keep(customer))
        return self.shown(customer)

    @route("GET /v1/customers/{id}")
    def read_customer(self, request: Request) -> Response:
        given = self.parameters(request)
        customer = self.find("customer", request.args["id"])
        if customer.get("deleted"):
            return Response(200, {"id": customer["id"], "object": "customer", "deleted": True})
        return self.shown(customer, given)

    @route("DELETE /v1/customers/{id}")
    def delete_customer(self, request: Request) -> Response:
        customer = self.find("customer", request.args["id"])
        for subscription in self.of_kind("subscription"):
            if subscription["customer"] == customer["id"] and subscription["status"] != "canceled":
                self.life.end(subscription)
        customer["deleted"] = True
        self.happened("customer.deleted", customer)
        return Response(200, {"id": customer["id"], "object": "customer", "deleted": True})

    # --- products ----------------------------------------------------------------------------------------------------

    @route("POST /v1/products")
    def create_product(self, request: Request) -> Response:
        given = self.parameters(request, "id", "name", "description", "active", "metadata")
        product_id = given.get("id") or self.make_id("prod")
        if product_id in self.objects:
            raise self.refuse_with(
                400, f"Product already exists: {product_id}", code="resource_already_exists", param="id"
            )
        product: Object = {
            "id": product_id, "object": "product", "created": self.life.now, "livemode": False, "type": "service",
            "name": self.required(given, "name"), "description": given.get("description"),
            "active": self.flag(given, "active", default=True), "metadata": given.get("metadata", {}),
            "default_price": None,
        }  # fmt: skip
        self.happened("product.created", self.keep(product))
        return self.shown(product)

    @route("GET /v1/products/{id}")
    def read_product(self, request: Request) -> Response:
        return self.shown(self.find("product", request.args["id"]), self.parameters(request))

    @route("POST /v1/products/{id}")
    def update_product(self, request: Request) -> Response:
        given = self.parameters(request, "name", "description", "active", "metadata")
        product = self.find("product", request.args["id"])
        product |= {name: given[name] for name in ("name", "description") if name in given}
        product["active"] = self.flag(given, "active", default=product["active"])
        product["metadata"] |= given.get("metadata", {})
        self.happened("product.updated", product)
        return self.shown(product)

    @route("GET /v1/products")
    def list_products(self, request: Request) -> Response:
        given = self.parameters(request, "active", "ids", "limit")
        return self.page(self.of_kind("product"), given, "/v1/products")

    # --- prices ------------------------------------------------------------------------------------------------------

    @route("POST /v1/prices")
    def create_price(self, request: Request) -> Response:
        given = self.parameters(
            request, "product", "currency", "unit_amount", "recurring", "lookup_key", "transfer_lookup_key", "metadata",
            "nickname",
        )  # fmt: skip
        product = self.find("product", self.required(given, "product"), "product")
        recurring = given.get("recurring", {})
        if recurring.get("interval") not in ("day", "week", "month", "year"):
            raise self.refuse_with(400, "Invalid recurring[interval]", param="recurring[interval]")
        key = given.get("lookup_key")
        holders = [price for price in self.of_kind("price") if key and price["lookup_key"] == key]
        if holders and not self.flag(given, "transfer_lookup_key"):
            raise self.refuse_with(
                400, f"A price (`{holders[0]['id']}`) already uses that lookup key.", param="lookup_key"
            )
        for holder in holders:
            holder["lookup_key"] = None
        amount = int(self.required(given, "unit_amount"))
        price: Object = {
            "id": self.make_id("price"), "object": "price", "created": self.life.now, "livemode": False, "active": True,
            "product": product["id"], "currency": str(self.required(given, "currency")).lower(), "unit_amount": amount,
            "unit_amount_decimal": str(amount), "lookup_key": key, "metadata": given.get("metadata", {}),
            "nickname": given.get("nickname"), "billing_scheme": "per_unit", "type": "recurring",
            "recurring": {
                "interval": recurring["interval"], "interval_count": int(recurring.get("interval_count", 1)),
                "usage_type": "licensed", "meter": None, "trial_period_days": None,
            },
        }  # fmt: skip
        self.happened("price.created", self.keep(price))
        return self.shown(price)

    @route("GET /v1/prices/{id}")
    def read_price(self, request: Request) -> Response:
        return self.shown(self.find("price", request.args["id"]), self.parameters(request))

    @route("POST /v1/prices/{id}")
    def update_price(self, request: Request) -> Response:
        given = self.parameters(request, "active", "metadata", "nickname", "lookup_key", "transfer_lookup_key")
        price = self.find("price", request.args["id"])
        price["active"] = self.flag(given, "active", default=price["active"])
        price["metadata"] |= given.get("metadata", {})
        self.happened("price.updated", price)
        return self.shown(price)

    @route("GET /v1/prices")
    def list_prices(self, request: Request) -> Response:
        given = self.parameters(request, "active", "lookup_keys", "product", "limit", "currency")
        keys, product = given.get("lookup_keys"), given.get("product")
        found = [
            price
            for price in self.of_kind("price")
            if (keys is None or price["lookup_key"] in keys)
            and product in (None, price["product"])
            and ("active" not in given or price["active"] == self.flag(given, "active"))
        ]
        return self.page(found, given, "/v1/prices")

    # --- promotion codes ---------------------------------------------------------------------------------------------

    @route("GET /v1/promotion_codes")
    def list_promotion_codes(self, request: Request) -> Response:
        given = self.parameters(request, "active", "code", "limit", "coupon", "customer")
        found = [
            one
            for one in self.of_kind("promotion_code")
            if given.get("code") in (None, one["code"])
            and ("active" not in given or one["active"] == self.flag(given, "active"))
        ]
        return self.page(found, given, "/v1/promotion_codes")

    def add_promotion_code(self, code: str, percent_off: int) -> Object:
        """Make a code, as the operator does in the dashboard."""
        coupon = {"id": self.make_id("coupon"), "object": "coupon", "percent_off": percent_off, "valid": True}
        return self.keep(
            {
                "id": self.make_id("promo"), "object": "promotion_code", "code": code, "active": True,
                "created": self.life.now, "livemode": False, "metadata": {},
                "promotion": {"type": "coupon", "coupon": coupon["id"]}, "coupon_percent_off": percent_off,
            }
        )  # fmt: skip
