"""A part of a post as a note: its text with the addresses of its files, and the tags that clients read."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from signalpost.networks.connectors.nostr.bech32 import decoded, encoded
from signalpost.networks.connectors.nostr.events import is_id
from signalpost.networks.connectors.nostr.facts import FACTS
from signalpost.networks.contract import Outgoing, OutgoingMedia
from signalpost.networks.preflight import text_of_part
from signalpost.networks.threads import PublicPart

_HASHTAG: Final = re.compile(r"#(?<![\w&/#]#)(\w{1,100})(?!\w)")
_MENTION: Final = re.compile(r"nostr:(npub1[02-9ac-hj-np-z]{58})(?![0-9a-z])")
_TAGS_MAX: Final = 50
_ID, _AUTHOR = 0, 2  # types of members of a `nevent` (NIP-19)


def content_of(outgoing: Outgoing, index: int, urls: Sequence[str]) -> str:
    """Return the text of a note with what it quotes and the addresses of its files."""
    paragraphs = [text_of_part(FACTS, outgoing, index)]
    if index == 0 and (quoted := _quoted(outgoing)) is not None:
        paragraphs.append(f"nostr:{quoted[0]}")
    return "\n\n".join([paragraph for paragraph in (*paragraphs, "\n".join(urls)) if paragraph])


def tags_of(
    outgoing: Outgoing, index: int, urls: Sequence[str], posted: Sequence[PublicPart], pubkey: str
) -> list[list[str]]:
    """Return the tags of a note, in the same order each time: they are part of what makes its id."""
    text = text_of_part(FACTS, outgoing, index)
    tags = [*_replies(posted, pubkey)]
    people = [pubkey] if posted else []
    if index == 0 and (quoted := _quoted(outgoing)) is not None:
        _, event_id, author = quoted
        tags.append(["q", event_id, "", *([author] if author else [])])
        people += [author] if author else []
    people += [content.hex() for mention in _MENTION.findall(text) if (content := _content(mention, 32)) is not None]
    tags += [["p", person] for person in list(dict.fromkeys(people))[:_TAGS_MAX]]
    names = [name.lower() for name in _HASHTAG.findall(text) if not name.isdecimal()]
    tags += [["t", name] for name in list(dict.fromkeys(names))[:_TAGS_MAX]]
    tags += [_imeta(media, url) for media, url in zip(outgoing.parts[index].media, urls, strict=True)]
    if warning := outgoing.options.get("contentWarning"):
        tags.append(["content-warning", str(warning)])
    return tags


def _replies(posted: Sequence[PublicPart], pubkey: str) -> Iterator[list[str]]:
    """Yield what a note replies to (NIP-10): the first note of the thread, and the one before if that is another."""
    if posted:
        yield ["e", posted[0]["id"], str(posted[0].get("relay") or ""), "root", pubkey]
    if len(posted) > 1:
        yield ["e", posted[-1]["id"], str(posted[-1].get("relay") or ""), "reply", pubkey]


def _imeta(media: OutgoingMedia, url: str) -> list[str]:
    """Return what a client can know of a file before it loads it (NIP-92)."""
    dimensions = [f"dim {media.width}x{media.height}"] if media.width and media.height else []
    alt_text = [f"alt {media.alt_text}"] if media.alt_text else []
    return ["imeta", f"url {url}", f"m {media.mime_type}", f"x {media.sha256.hex()}", f"size {media.size_bytes}",
            *dimensions, *alt_text]  # fmt: skip


def _quoted(outgoing: Outgoing) -> tuple[str, str, str] | None:
    """Return what is quoted: as it stands in the text, its id, and its author if the id names one."""
    value = str(outgoing.options.get("quoteId") or "").strip().removeprefix("nostr:")
    return quoted_of(value) if value else None


def quoted_of(value: str) -> tuple[str, str, str] | None:
    """Read the id of a note, `note1…`, `nevent1…` or hex; None if it is none."""
    if is_id(value):
        return note_of(value), value, ""
    prefix, content = decoded(value) or ("", b"")
    if prefix == "note" and len(content) == 32:
        return value, content.hex(), ""
    members = dict(reversed(list(_members(content)))) if prefix == "nevent" else {}
    event_id, author = members.get(_ID, b""), members.get(_AUTHOR, b"")
    return (value, event_id.hex(), author.hex() if len(author) == 32 else "") if len(event_id) == 32 else None


def _members(content: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 2 <= len(content):
        length = content[at + 1]
        yield content[at], content[at + 2 : at + 2 + length]
        at += 2 + length


def note_of(event_id: str) -> str:
    """Return the id of a note as people copy it."""
    return encoded("note", bytes.fromhex(event_id))


def url_of(event_id: str, pubkey: str, relay: str) -> str:
    """Return where a note can be read by everybody: its id with its author and a relay (NIP-19)."""
    named = relay.encode("ascii", "ignore")[:200]
    content = b"".join(
        bytes([kind, len(value)]) + value
        for kind, value in ((_ID, bytes.fromhex(event_id)), (1, named), (_AUTHOR, bytes.fromhex(pubkey)))
    )
    return f"https://njump.me/{encoded('nevent', content)}"


def _content(text: str, length: int) -> bytes | None:
    _, content = decoded(text) or ("", b"")
    return content if len(content) == length else None


def size_of(content: str, tags: Sequence[Sequence[str]]) -> int:
    """Return how many bytes the message with a note has on its way to a relay."""
    members: Mapping[str, Any] = {
        "id": "0" * 64, "pubkey": "0" * 64, "created_at": 1_795_000_000, "kind": 1, "sig": "0" * 128,
        "content": content, "tags": tags,
    }  # fmt: skip
    message = json.dumps(["EVENT", members], ensure_ascii=False, separators=(",", ":"))
    return len(message.encode("utf-8", "surrogatepass"))
