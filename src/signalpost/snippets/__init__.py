"""Snippets: texts that a team writes again and again, to insert in posts. It writes no posts and fills in nothing."""
