"""Scheduling many posts at once: drafts spread over days, and posts that repeat by a rule."""
