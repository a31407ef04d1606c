"""The catalogs of mails, one for each language, and how a text is found in them."""
