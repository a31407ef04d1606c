"""Posting from a messenger: linked numbers, messages and replies. It knows no queue, and no network but WhatsApp."""
