"""Writes. Locks are taken in the order lane, delivery, webhook, as the engine takes them."""
