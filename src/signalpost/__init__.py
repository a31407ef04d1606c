"""Signalpost: one API call becomes posts on many networks, and signed webhooks tell what happened."""
