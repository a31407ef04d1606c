"""Plans: limits as data, the ledger of what a month has used, and the refusals. Knows no prices and no payments."""

from signalpost.plans.actions import refund, require_feature, require_room, spend
from signalpost.plans.errors import PlanFeatureUnavailable, PlanLimitReached
from signalpost.plans.limits import limit_of
from signalpost.plans.queries import Metric

__all__ = [
    "Metric",
    "PlanFeatureUnavailable",
    "PlanLimitReached",
    "limit_of",
    "refund",
    "require_feature",
    "require_room",
    "spend",
]
