"""Signalpost: publish to many social networks with one API call; signed webhooks report the result."""
