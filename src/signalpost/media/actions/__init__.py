"""Writes. No transaction is open while bytes move, so uploads open their own: see docs/decisions/0075."""
