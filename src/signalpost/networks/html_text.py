"""Plain words of the HTML that a server made of a text, to recognise a post by what it says."""

import html
import re

_TAG = re.compile(r"<[^>]{0,2000}>")
_REMOTE_MENTION = re.compile(r"@([\w.-]+)@[\w.-]+\w")
_NO_WORD = re.compile(r"[\W_]+")


def fingerprint_of_html(content: str) -> str:
    """Return what stays the same when a server turns a text into HTML: its letters and digits, in order."""
    return fingerprint(html.unescape(_TAG.sub("", content)))


def fingerprint(text: str) -> str:
    """Return the letters and digits of a text, mentions without their server, as fediverse servers show them."""
    return _NO_WORD.sub("", _REMOTE_MENTION.sub(r"@\1", text)).casefold()
