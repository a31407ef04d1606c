"""Markdown as HTML: the guides and the generated pages whole, descriptions of the API in a small part of it."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING

from markupsafe import Markup
from msgspec import Struct

if TYPE_CHECKING:
    from markdown_it.token import Token


_LINK = re.compile(r"(!?)\[([^\[\]]*)\]\(([^()\s]+)\)")


class Heading(Struct, frozen=True):
    """A heading with the text below it."""

    anchor: str
    title: str
    text: str


class MarkdownPage:
    """A page of the documentation.

    Args:
        link: from the target of a link, as it is written, to an address of this site; None if there is no such page.
    """

    def __init__(self, source: str, link: Callable[[str], str | None]) -> None:
        self.source = source
        self._link = link

    @cached_property
    def title(self) -> str:
        """The first heading."""
        return _plain(self.source.partition("\n")[0].removeprefix("# "))

    @cached_property
    def summary(self) -> str:
        """The first sentence of the first paragraph."""
        paragraphs = _outside_code(self.source).split("\n\n")[1:]
        paragraphs = [part for part in paragraphs if re.match(r"(?!Generated)[\w`*\[]", part)]  # no tables, no headings
        return _plain(" ".join(paragraphs[0].split()).partition(". ")[0].rstrip(".")) if paragraphs else ""

    @cached_property
    def _parts(self) -> list[str]:
        """The text before the first heading of the second level, then in turn such a heading and its text."""
        return re.split(r"^## (.+)\n", _outside_code(self.source), flags=re.MULTILINE)

    @property
    def introduction(self) -> str:
        """The text above the first heading of the second level."""
        return _plain(self._parts[0])

    @property
    def headings(self) -> Sequence[Heading]:
        """The headings of the second level."""
        titles, texts = self._parts[1::2], self._parts[2::2]
        return [
            Heading(anchor_of(title), _plain(title), _plain(text)) for title, text in zip(titles, texts, strict=True)
        ]

    @cached_property
    def markdown(self) -> str:
        """The page as Markdown whose links lead to the Markdown of other pages of this site."""
        return "".join(
            part if fenced else _LINK.sub(self._link_to_markdown, part) for fenced, part in _by_fences(self.source)
        )

    def _link_to_markdown(self, link: re.Match[str]) -> str:
        mark, words, target = link.groups()
        if target.startswith(("http://", "https://", "#")):
            return link[0]
        address = self._link(target)
        if address is None:
            return words  # without an address, its words say enough
        return f"{mark}[{words}]({address if mark else markdown_address(address)})"

    @cached_property
    def html(self) -> Markup:
        """The page. HTML in the source is shown as text."""
        from markdown_it import MarkdownIt  # noqa: PLC0415 - only these pages need it

        renderer = MarkdownIt("commonmark", {"html": False}).enable("table")
        tokens = renderer.parse(self.source)
        for position, token in enumerate(tokens):
            self._prepare(token, tokens[position + 1] if position + 1 < len(tokens) else token)
        text: str = renderer.renderer.render(tokens, renderer.options, {})
        text = text.replace("<table>", '<div class="scroll" tabindex="0"><table>').replace("</table>", "</table></div>")
        return Markup(text.replace("<pre>", '<pre tabindex="0">').replace("<th>", '<th scope="col">'))  # noqa: S704 - rendered

    def _prepare(self, token: "Token", following: "Token") -> None:
        if token.type == "heading_open" and token.tag != "h1":
            token.attrSet("id", anchor_of(following.content))
        for child in token.children or ():
            if child.type == "link_open":
                self._point(child)
            elif child.type == "image" and (address := self._link(str(child.attrGet("src")))):
                child.attrSet("src", address)
                child.attrSet("loading", "lazy")

    def _point(self, link: "Token") -> None:
        target = str(link.attrGet("href") or "")
        if not target.startswith(("http://", "https://", "#")):
            address = self._link(target)
            link.attrs = {} if address is None else {"href": address}  # without one, its words say enough


def markdown_address(address: str) -> str:
    """Return where the Markdown of a page is; anchors stay."""
    path, mark, anchor = address.partition("#")
    return f"{path}.md{mark}{anchor}"


def anchor_of(title: str) -> str:
    """Return the id that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def _plain(text: str) -> str:
    return re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", text).strip()


def _outside_code(text: str) -> str:
    """Drop fenced code, whose comments look like headings."""
    return "".join(part for fenced, part in _by_fences(text) if not fenced)


def _by_fences(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the parts of a text, and whether each is fenced code."""
    for position, part in enumerate(re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)):
        yield bool(position % 2), part


def prose(text: str) -> Markup:
    """Render a description: paragraphs, `code` and **bold**, the only Markdown that descriptions use."""
    paragraphs = [paragraph.strip() for paragraph in re.split(r"\n\s*\n", text) if paragraph.strip()]
    return Markup("").join([Markup("<p>{}</p>").format(inline(paragraph)) for paragraph in paragraphs])


def inline(text: str) -> Markup:
    """Render one line of a description."""
    coded = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
    return Markup(re.sub(r"[*]{2}([^*]+)[*]{2}", r"<strong>\1</strong>", coded))  # noqa: S704 - escaped above
