"""Products and prices at Stripe: found by their lookup keys, and made the same as the catalogue by the operator."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.billing import remote
from signalpost.billing.catalog import CURRENCY, OFFERS, Offer
from signalpost.billing.errors import BillingNotConfigured
from signalpost.billing.states import Interval
from signalpost.billing.stripe import Refused, Stripe, not_possible
from signalpost.kit import foreign

INTERVALS: Final[tuple[Interval, ...]] = ("month", "year")
_HELP: Final = "Run `signalpost billing sync`."


def lookup_key(plan: str, interval: str) -> str:
    """Return the name under which the current price of a plan is found."""
    return f"signalpost_{plan}_{interval}"


async def price_of(stripe: Stripe, plan: str, interval: Interval) -> str:
    """Return the id of the price that is asked for now.

    Raises:
        BillingNotConfigured: there is none, or it is not the one of the catalogue.
    """
    offer = next(offer for offer in OFFERS if offer.key == plan)
    price = await _current(stripe, plan, interval)
    if price is None:
        raise BillingNotConfigured(f"The plan {plan} has no price by {interval} at the provider. {_HELP}")
    if not _is_right(price, offer, interval):
        raise BillingNotConfigured(f"The price of the plan {plan} by {interval} differs at the provider. {_HELP}")
    return str(price["id"])


async def synchronise(stripe: Stripe) -> dict[str, str]:
    """Create or correct the product and the prices of every plan; return what was done by name. Safe to repeat.

    An amount at Stripe never changes: a new price takes over the lookup key, and who subscribed earlier keeps theirs.
    """
    done: dict[str, str] = {}
    for offer in OFFERS:
        if not offer.month_minor:
            continue
        try:
            done[offer.key] = await _synchronise_product(stripe, offer)
            for interval in INTERVALS:
                done[lookup_key(offer.key, interval)] = await _synchronise_price(stripe, offer, interval)
        except Refused as refused:
            raise not_possible(refused) from None
    return done


def _product_id(plan: str) -> str:
    return f"signalpost_{plan}"


async def _synchronise_product(stripe: Stripe, offer: Offer) -> str:
    path = f"products/{_product_id(offer.key)}"
    expected: dict[str, Any] = {
        "name": offer.name, "description": offer.description, "active": True, "metadata": {remote.PLAN_KEY: offer.key},
    }  # fmt: skip
    try:
        product = await stripe.get(path)
    except Refused as refused:
        if refused.code != "resource_missing":
            raise
        await stripe.post("products", {"id": _product_id(offer.key), **expected})
        return "created"
    if all(product.get(name) == value for name, value in expected.items()):
        return "unchanged"
    await stripe.post(path, expected)
    return "updated"


async def _synchronise_price(stripe: Stripe, offer: Offer, interval: Interval) -> str:
    current = await _current(stripe, offer.key, interval)
    if current is not None and _is_right(current, offer, interval):
        return "unchanged"
    await stripe.post(
        "prices",
        {
            "product": _product_id(offer.key),
            "currency": CURRENCY,
            "unit_amount": _amount(offer, interval),
            "recurring": {"interval": interval},
            "lookup_key": lookup_key(offer.key, interval),
            "transfer_lookup_key": True,
            "metadata": {remote.PLAN_KEY: offer.key},
        },
    )
    if current is None:
        return "created"
    await stripe.post(f"prices/{current['id']}", {"active": False})
    return "replaced"


async def _current(stripe: Stripe, plan: str, interval: Interval) -> Mapping[str, Any] | None:
    query = {"lookup_keys": [lookup_key(plan, interval)], "active": True, "limit": 1}
    try:
        listed = await stripe.get("prices", query)
    except Refused as refused:
        raise not_possible(refused) from None
    match listed.get("data"):
        case [{"id": str(price_id)} as price, *_] if foreign.identifier(price_id) is not None:
            current: Mapping[str, Any] = price
            return current
    return None


def _is_right(price: Mapping[str, Any], offer: Offer, interval: Interval) -> bool:
    match price:
        case {
            "currency": currency,
            "unit_amount": amount,
            "product": product,
            "recurring": {"interval": every, **more},
            "metadata": {remote.PLAN_KEY: plan},
        }:
            return (currency, amount, product, every, more.get("interval_count", 1), plan) == (
                CURRENCY, _amount(offer, interval), _product_id(offer.key), interval, 1, offer.key,
            )  # fmt: skip
    return False


def _amount(offer: Offer, interval: Interval) -> int:
    return offer.month_minor if interval == "month" else offer.year_minor
