"""Connected platform accounts: connecting and disconnecting them, and keeping their tokens valid. Knows no posts."""
