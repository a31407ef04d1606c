"""Who did what: one append-only row for every writing operation, sealed in a chain of hashes. It knows no resource."""
