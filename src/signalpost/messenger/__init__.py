"""Posting from a messenger: links, messages and replies. It knows no queue, and of messengers their contract only."""
