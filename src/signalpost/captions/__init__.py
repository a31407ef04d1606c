"""Captions: a text rewritten for each network, by rules or by a language model. It saves and publishes nothing."""
