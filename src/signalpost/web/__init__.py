"""What every endpoint needs, once: who asks, which row, page, transaction, errors, limits, docs. Knows no domain."""
