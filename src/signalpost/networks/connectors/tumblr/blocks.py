"""What a post is made of at Tumblr: blocks of the Neue Post Format, and the ranges of a text that are formatted.

Tumblr counts code points, as Python does.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from signalpost.networks.connectors.tumblr.facts import BLOCK_MAX, BLOCKS_MAX, LINKS_MAX
from signalpost.networks.contract import Outgoing, OutgoingMedia
from signalpost.networks.links import LINK_PATTERN, balanced

Block = dict[str, Any]
_BREAK: Final = re.compile(r"\n[ \t]*\n\s*")
_SUBTYPES: Final = {"#": "heading1", "##": "heading2", ">": "indented", "-": "unordered-list-item",
                    "1.": "ordered-list-item"}  # fmt: skip
_LINE: Final = re.compile(r"(?P<mark>##?|>|-|\d{1,3}\.)[ \t]+(?P<rest>\S.*)")
_INLINE: Final = re.compile(
    r"\[(?P<label>[^\[\]\n]{1,500})\]\((?P<url>https?://[^\s()<>\"]{1,2000})\)"
    r"|(?P<address>https?://[^\s<>\"]{1,2000})"  # its marks are none
    r"|\*\*(?P<bold>[^*\s][^*\n]{0,2000})\*\*"
    r"|~~(?P<strikethrough>[^~\s][^~\n]{0,2000})~~"
    r"|\*(?P<italic>[^*\s][^*\n]{0,2000})\*"
)
_TEXTS: Final = BLOCKS_MAX - 40  # besides a title, a link and files


def content_of(outgoing: Outgoing) -> list[Block]:
    """Return the blocks of a post: the title as a heading, the text, the link as a card, and the files."""
    content: list[Block] = []
    if title := " ".join((outgoing.title or "").split()):
        content.append({"type": "text", "subtype": "heading1", "text": title})
    content += _with_links(_texts(outgoing.text, is_markdown=outgoing.options.get("markdown") is True))
    if outgoing.link:
        content.append({"type": "link", "url": outgoing.link})
    content += [_file(number, media) for number, media in enumerate(outgoing.media)]
    return content


def name_of(number: int) -> str:
    """Return what a file is called in the blocks, and in the form that brings it."""
    return f"file-{number}"


def _file(number: int, media: OutgoingMedia) -> Block:
    file: Block = {"type": media.mime_type, "identifier": name_of(number)}
    if media.width and media.height:
        file |= {"width": media.width, "height": media.height}
    if media.kind in {"image", "gif"}:
        return {"type": "image", "media": [file]} | ({"alt_text": media.alt_text} if media.alt_text else {})
    return {"type": media.kind, "provider": "tumblr", "media": file}


def _texts(text: str, *, is_markdown: bool) -> list[Block]:
    text = text.replace("\r\n", "\n").strip()
    paragraphs = [paragraph for paragraph in _BREAK.split(text) if paragraph]
    blocks = [block for paragraph in paragraphs for block in _paragraph(paragraph, is_markdown=is_markdown)]
    if len(blocks) > _TEXTS:  # as few blocks as can be: the text is kept, and nothing of it is formatted
        return [{"type": "text", "text": piece} for piece in _pieces(text)]
    return blocks


def _paragraph(paragraph: str, *, is_markdown: bool) -> Iterator[Block]:
    if not is_markdown:
        yield from ({"type": "text", "text": piece} for piece in _pieces(paragraph))
        return
    for is_marked, lines in groupby(paragraph.split("\n"), key=lambda line: _LINE.fullmatch(line) is not None):
        for part in lines if is_marked else ["\n".join(lines)]:
            match = _LINE.fullmatch(part) if is_marked else None
            kind = {} if match is None else {"subtype": _SUBTYPES.get(match["mark"], "ordered-list-item")}
            for piece in _pieces(part if match is None else match["rest"]):
                plain, ranges = _inline(piece)
                yield {"type": "text", **kind, "text": plain} | ({"formatting": ranges} if ranges else {})


def _pieces(text: str) -> Iterator[str]:
    """Divide a text into what a block holds, between words where there are some."""
    while len(text) > BLOCK_MAX:
        end = max(text.rfind("\n", BLOCK_MAX // 2, BLOCK_MAX), text.rfind(" ", BLOCK_MAX // 2, BLOCK_MAX))
        end = BLOCK_MAX if end < 0 else end
        yield text[:end].rstrip()
        text = text[end:].lstrip()
    if text:
        yield text


def _inline(text: str) -> tuple[str, list[Block]]:
    """Return a text without its marks, and the ranges that they were around."""
    pieces: list[str] = []
    ranges: list[Block] = []
    length = at = 0
    for match in _INLINE.finditer(text):
        before, kind = text[at : match.start()], str(match.lastgroup)
        inner = match["label"] or match[kind]
        pieces += [before, inner]
        start = length + len(before)
        length, at = start + len(inner), match.end()
        if kind != "address":
            kind_of_range = {"type": "link", "url": match["url"]} if match["label"] else {"type": kind}
            ranges.append({"start": start, "end": length, **kind_of_range})
    return "".join([*pieces, text[at:]]), ranges


def _with_links(blocks: list[Block]) -> list[Block]:
    """Make links of the addresses in a text, as many as Tumblr takes; further ones are just text."""
    left = LINKS_MAX
    for block in blocks:
        ranges = [mark for mark in block.get("formatting", ()) if mark["type"] != "link" or (left := left - 1) >= 0]
        taken = [(mark["start"], mark["end"]) for mark in ranges if mark["type"] == "link"]
        for match in LINK_PATTERN.finditer(block["text"]):
            link = balanced(match[0])
            start, end = match.start(), match.start() + len(link)
            if left > 0 and all(end <= first or start >= last for first, last in taken):
                ranges.append({"start": start, "end": end, "type": "link", "url": link})
                left -= 1
        if ranges:
            block["formatting"] = ranges
        else:
            block.pop("formatting", None)
    return blocks


def said_by(content: Sequence[Mapping[str, Any]]) -> str:
    """Return all words of a post, by which it is recognised."""
    return " ".join([str(block.get("text") or "") for block in content if block.get("type") == "text"])
