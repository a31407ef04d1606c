"""Pages for people: reference, errors, first run. Knows the API only by its description, and no room's tables."""
