"""Webhooks: who wants to hear of what, and every delivery until it is made. Knows nothing of posts or networks."""
