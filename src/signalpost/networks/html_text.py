"""Recognises a post by its text, although the server has turned it into HTML."""

import html
import re

_TAG = re.compile(r"<[^>]{0,2000}>")
_REMOTE_MENTION = re.compile(r"@([\w.-]+)@[\w.-]+\w")
_NOT_WORD = re.compile(r"[\W_]+")


def fingerprint_of_html(content: str) -> str:
    """Return the fingerprint of the text that a server turned into HTML."""
    return fingerprint(html.unescape(_TAG.sub("", content)))


def fingerprint(text: str) -> str:
    """Return the letters and digits of a text in order; mentions lose their server, as fediverse servers show them."""
    return _NOT_WORD.sub("", _REMOTE_MENTION.sub(r"@\1", text)).casefold()
