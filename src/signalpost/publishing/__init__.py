"""Sending posts: claim, call, settle; the queue as callers see it. Knows networks only by their contract."""
