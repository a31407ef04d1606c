"""What all endpoints need: caller, inputs, paging, transactions, idempotency, problems, limits, OpenAPI."""
