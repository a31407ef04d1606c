"""Plans: their limits, the ledger of monthly usage, and the refusals. It does not know prices or payments."""
