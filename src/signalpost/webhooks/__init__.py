"""Webhooks: registered addresses, and every event delivered to them. Knows nothing of posts or networks."""
