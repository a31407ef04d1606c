"""Writes of accounts, and what asks their networks."""
