"""Stripe, as far as subscriptions need it. Source: docs.stripe.com/api for the version in `api.VERSION`."""

from simulator.stripe.api import Stripe

__all__ = ["Stripe"]
