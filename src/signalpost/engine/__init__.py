"""How anything happens later: lanes, leases, waking, retries. Knows nothing of posts, webhooks or networks."""
