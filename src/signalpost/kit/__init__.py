"""Tools that know nothing of our domain: another product could use any of them."""
