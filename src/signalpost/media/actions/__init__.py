"""Writes. No transaction is open while bytes move, so uploads open their own: see decision 0075."""
