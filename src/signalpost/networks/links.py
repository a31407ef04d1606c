"""Links in a text, as a reader sees them: without the punctuation that ends the sentence around them."""

from collections.abc import Callable
from typing import Final

import regex

LINK: Final = (
    r"(?i:https?://)[^\s<>\"\u3001-\u3003\u3008-\u3011\u3014-\u301f\uff01\uff08-\uff0c\uff1a-\uff1b\uff1f\uff3b\uff3d"
    r"\uff5b\uff5d\u2018-\u201f]+(?<![.,;:!?'\]\}*_~])"
)
"""The pattern of a link; `balanced` cuts off the bracket after `(https://example.com)`."""
LINK_PATTERN: Final = regex.compile(LINK)


def balanced(link: str) -> str:
    """Return a link without the bracket that closes the sentence around it."""
    return link[:-1] if link.endswith(")") and "(" not in link else link


def replace_links(text: str, change: Callable[[str], str]) -> str:
    """Return the text with each of its links changed."""
    if "://" not in text:
        return text

    def changed(match: "regex.Match[str]") -> str:
        link = balanced(match[0])
        return change(link) + match[0][len(link) :]

    return LINK_PATTERN.sub(changed, text)
