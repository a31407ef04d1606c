"""Billing: what plans cost, what a workspace pays for by Stripe, and what people say about it. It limits nothing."""
