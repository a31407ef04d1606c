"""How work is done later: lanes, leases, waking, retries. It does not know posts, webhooks or networks."""
