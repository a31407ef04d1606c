"""The plans that can be bought: prices, names, and how each is described. Source: contract C3."""

from typing import Final, NamedTuple

CURRENCY: Final = "usd"
RECOMMENDED: Final = "pro"


class Offer(NamedTuple):
    """A plan with its prices in minor units of `CURRENCY`."""

    key: str
    name: str
    description: str
    month_minor: int
    year_minor: int


OFFERS: Final = (
    Offer("free", "Free", "To try it, and for one person with a few accounts.", 0, 0),
    Offer("starter", "Starter", "For a small business that posts every day.", 900, 9_000),
    Offer("pro", "Pro", "For teams and agencies: approvals, webhooks, own branding.", 2_900, 29_000),
    Offer("max", "Max", "For those who publish at scale.", 7_900, 79_000),
)
SELF_HOSTED: Final = Offer("self_hosted", "Self-hosted", "Everything, without limits, on your own machine.", 0, 0)
