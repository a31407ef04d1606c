"""Recognises a post by its text, although the server has turned it into HTML."""

import html
import re

_TAG = re.compile(r"<[^>]*>?")  # always matches at `<`, so that nothing is read twice
_REMOTE_MENTION = re.compile(r"@([\w.-]+)@[\w.-]+\w")
_NOT_WORD = re.compile(r"[\W_]+")


def fingerprint_of_html(content: str) -> str:
    """Return the fingerprint of the text that a server turned into HTML."""
    return fingerprint(_unescaped(_TAG.sub("", content)))


def fingerprint(text: str) -> str:
    """Return the letters and digits of a text in order; mentions lose their server, as fediverse servers show them."""
    return _NOT_WORD.sub("", _REMOTE_MENTION.sub(r"@\1", text)).casefold()


def _unescaped(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:  # a character reference with thousands of digits
        return text
