"""Webhooks: registered addresses, and every event delivered to them. It does not know posts or networks."""
