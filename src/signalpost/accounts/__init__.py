"""Connected platform accounts: connect and disconnect them, keep their tokens valid. It does not know posts."""
