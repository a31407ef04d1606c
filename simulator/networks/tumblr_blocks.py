"""The Neue Post Format of Tumblr: which blocks a post may have, and how many.

Source: npf-spec.md of github.com/tumblr/docs (2024-10-18).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from simulator.messages import File

BLOCKS_MAX, TEXT_MAX, ALT_MAX, LINKS_MAX = 1_000, 4_096, 4_096, 100
COUNTS = {"link": 10, "image": 30, "video": 1, "audio": 10}
SUBTYPES = {
    "heading1", "heading2", "quirky", "quote", "indented", "chat", "ordered-list-item", "unordered-list-item",
}  # fmt: skip
RANGES = {"bold", "italic", "strikethrough", "small", "link", "mention", "color"}
TYPES = {
    "image": {"image/jpeg", "image/png", "image/gif", "image/webp"},
    "video": {"video/mp4", "video/quicktime"},
    "audio": {"audio/mpeg", "audio/mp3"},
}
MEMBERS = {
    "text": {"type", "text", "subtype", "formatting", "indent_level"},
    "link": {"type", "url", "title", "description", "author", "site_name", "poster"},
    "image": {"type", "media", "alt_text", "caption"},
    "video": {"type", "media", "provider", "alt_text", "url"},
    "audio": {"type", "media", "provider", "title", "artist", "album", "url"},
}


class BadBlock(Exception):
    """A block is not as the format has it; `code` is Tumblr's."""

    def __init__(self, message: str, code: int = 8001) -> None:
        super().__init__(message)
        self.code = code


def checked(content: Any, files: Mapping[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the blocks as Tumblr keeps them, without empty texts at the ends, and the names of the files in them.

    Raises:
        BadBlock: one is not as it must be.
    """
    if not isinstance(content, list) or not content:
        raise BadBlock("'content' must be an array")
    if len(content) > BLOCKS_MAX:
        raise BadBlock("too many blocks")
    for block in content:
        _block(block)
    for kind, limit in COUNTS.items():
        if sum(block["type"] == kind for block in content) > limit:
            raise BadBlock(f"more than {limit} blocks of type {kind}")
    if sum(mark["type"] == "link" for block in content for mark in block.get("formatting", ())) > LINKS_MAX:
        raise BadBlock("too many links")
    named = [name for block in content if block["type"] in TYPES for name in _files(block, files)]
    kept = list(content)
    for end in (0, -1):
        while kept and kept[end]["type"] == "text" and not kept[end]["text"]:
            kept.pop(end)
    if not kept:
        raise BadBlock("the post is empty")
    return kept, named


def _block(block: Any) -> None:
    kind = block.get("type") if isinstance(block, dict) else None
    if kind not in MEMBERS:
        raise BadBlock(f"{kind!r} is no type of a block")
    if unknown := sorted(set(block) - MEMBERS[kind]):
        raise BadBlock(f"a block of type {kind} has no {', '.join(unknown)}")
    if kind == "text":
        _text(block)
    elif kind == "link" and not str(block.get("url", "")).startswith(("http://", "https://")):
        raise BadBlock("the url of a link block is none")
    elif len(block.get("alt_text") or "") > ALT_MAX:
        raise BadBlock("the alt_text is too long")


def _text(block: Mapping[str, Any]) -> None:
    text = block.get("text")
    if not isinstance(text, str) or len(text) > TEXT_MAX:
        raise BadBlock(f"a text block needs a text of at most {TEXT_MAX} characters")
    if block.get("subtype", "heading1") not in SUBTYPES:
        raise BadBlock(f"{block['subtype']!r} is no subtype")
    taken: dict[str, list[tuple[int, int]]] = {}
    for mark in block.get("formatting", ()):
        start, end, kind = mark.get("start"), mark.get("end"), mark.get("type")
        if kind not in RANGES or type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
            raise BadBlock(f"{mark} is no range of the text")
        if any(start < last and end > first for first, last in taken.setdefault(kind, [])):
            raise BadBlock("ranges of one type overlap")
        if kind == "link" and not str(mark.get("url", "")).startswith(("http://", "https://")):
            raise BadBlock("a link has no url")
        taken[kind].append((start, end))


def _files(block: Mapping[str, Any], files: Mapping[str, Any]) -> Sequence[str]:
    """Return the names of the files of a block; one by its address is not in the form.

    Tumblr's own client names a picture without a list, and no types.
    """
    media = block.get("media")
    sizes = media if isinstance(media, list) else [media]
    names = []
    for size in sizes:
        if not isinstance(size, dict) or (isinstance(media, list) and block["type"] != "image"):
            raise BadBlock("'media' is not as its block has it")
        if "url" in size:
            continue
        file = files.get(str(size.get("identifier")))
        if not isinstance(file, File):
            raise BadBlock(f"there is no file {size.get('identifier')!r} in the form")
        if file.content_type not in TYPES[block["type"]] or size.get("type", file.content_type) != file.content_type:
            raise BadBlock(f"{file.content_type} is no type of {block['type']}", 8005)
        names.append(str(size["identifier"]))
    return names


def words(content: Sequence[Mapping[str, Any]]) -> str:
    """Return what a post says below its heading."""
    return "\n\n".join(
        block["text"] for block in content if block["type"] == "text" and block.get("subtype") != "heading1"
    )
