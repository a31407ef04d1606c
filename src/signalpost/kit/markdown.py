"""Markdown that others wrote, as HTML that is safe to show."""

from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

SCHEMES: Final = ("http", "https", "mailto")
NESTING_MAX: Final = 12
"""How deep brackets, quotes and lists may stand within each other; each level of them costs another pass."""


@cache
def _renderer() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 30 ms that only those who render should wait for

    renderer = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": NESTING_MAX})
    renderer.disable("image")  # a picture elsewhere would tell its server who reads when
    renderer.validateLink = _may_link  # type: ignore[method-assign] # the way that its documentation names
    return renderer


def _may_link(url: str) -> bool:
    """Whether a link is shown as one: an absolute one of a scheme that runs nothing."""
    try:
        return urlsplit(url.strip()).scheme in SCHEMES
    except ValueError:
        return False


def to_html(text: str) -> str:
    """Return the text as HTML: its own HTML is shown as text, and links vouch for nothing. Call it in a thread."""
    renderer = _renderer()
    tokens = renderer.parse(text)
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("rel", "nofollow noopener noreferrer")
    html: str = renderer.renderer.render(tokens, renderer.options, {})
    return html
