"""Plans: limits as data, the ledger of what a month has used, and the refusals. Knows no prices and no payments."""
