"""The text of what servers give as HTML."""

import html
import re
from typing import Final

_HTML_MAX: Final = 50_000
_BREAK: Final = re.compile(r"<(?:br|/p)\b[^>]*>?")  # always matches at its beginning, so that nothing is read twice
_TAG: Final = re.compile(r"<[^>]*>?")


def plain_text(content: str) -> str:
    """Return the text that HTML of a server shows."""
    text = _TAG.sub("", _BREAK.sub("\n", content[:_HTML_MAX]))
    try:
        return html.unescape(text).strip()
    except ValueError:  # a character reference with thousands of digits
        return text.strip()
