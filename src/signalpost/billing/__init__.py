"""Billing: what plans cost, what a workspace has, and what people say about it. It takes no payments."""
