"""Finding posts: lists, search, the calendar, counts."""
