"""Connected platform accounts: how they are connected, kept usable and let go. Knows nothing of posts."""
