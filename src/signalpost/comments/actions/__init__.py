"""Changes: collecting comments, answering them, moderating them."""
