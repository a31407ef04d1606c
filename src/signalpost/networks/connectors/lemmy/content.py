"""What a post at Lemmy is made of: its address, and its text with the pictures below it."""

from collections.abc import Mapping, Sequence
from typing import Any

from signalpost.networks.contract import Outgoing


def address_of(outgoing: Outgoing, pictures: Sequence[str]) -> Mapping[str, Any]:
    """Return the members for the link, or without one for the first picture."""
    if outgoing.link:
        thumbnail = outgoing.options.get("thumbnailUrl")
        return {"url": outgoing.link} | ({"custom_thumbnail": thumbnail} if thumbnail else {})
    if not pictures:
        return {}
    alt_text = outgoing.media[0].alt_text
    return {"url": pictures[0]} | ({"alt_text": alt_text} if alt_text else {})


def body_of(outgoing: Outgoing, pictures: Sequence[str]) -> str:
    """Return the text, and below it the pictures that are not the post's address; empty if there is neither."""
    first = 0 if outgoing.link else 1
    files = zip(outgoing.media[first:], pictures[first:], strict=True)
    return "\n\n".join(filter(None, (outgoing.text, *(f"![{_escaped(file.alt_text)}]({url})" for file, url in files))))


def _escaped(alt_text: str | None) -> str:
    """Return an alternative text as one line of Markdown inside of brackets."""
    text = " ".join((alt_text or "").split())
    for character in "\\[]":
        text = text.replace(character, f"\\{character}")
    return text
