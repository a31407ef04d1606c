"""How anything happens later: lanes, leases, waking, retries. It knows no word of posts, webhooks or networks."""
