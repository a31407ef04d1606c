"""What networks of whole articles share: HTML of a plain text, a key for each post, and files that are sent once."""

import hashlib
import html
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from signalpost.kit import clock
from signalpost.networks.contract import OutcomeUnknown, Outgoing
from signalpost.networks.links import replace_links
from signalpost.networks.threads import ThreadPart

FILES_SECONDS_MAX: Final = 86_400
"""An upload that no post used for longer may have been cleaned up by someone."""
TOO_EARLY_SECONDS: Final = 120  # younger than this, the site may still be storing a post
SKEW_SECONDS: Final = 600  # between the clock of a site and ours
_BREAK: Final = re.compile(r"\n[ \t]*\n\s*")
_MARK: Final = "\ue000"  # of no language; stands for a link while the text around it is escaped


def key_of(outgoing: Outgoing) -> str:
    """Return what names a post: the same at every attempt."""
    return hashlib.sha256(outgoing.dedupe_key.encode()).hexdigest()[:32]


def paragraphs(text: str) -> Iterator[str]:
    """Yield the HTML of each paragraph; a single line break stays one, and addresses become links."""
    for paragraph in _BREAK.split(text.replace("\r\n", "\n").strip()):
        if paragraph:
            yield _html(paragraph)


def _html(text: str) -> str:
    links: list[str] = []

    def taken(link: str) -> str:
        links.append(link)
        return _MARK

    pieces = replace_links(text.replace(_MARK, ""), taken).split(_MARK)
    parts = [html.escape(pieces[0], quote=False)]
    for link, piece in zip(links, pieces[1:], strict=True):
        parts.append(f'<a href="{html.escape(link)}">{html.escape(link, quote=False)}</a>')
        parts.append(html.escape(piece, quote=False))
    return "".join(parts).replace("\n", "<br>\n")


async def uploaded_once(
    part: ThreadPart, step: str, upload: Callable[[], Awaitable[Mapping[str, Any]]]
) -> Mapping[str, Any]:
    """Return what `upload` returned, calling it unless an earlier attempt did not long ago."""
    earlier: Mapping[str, Any] | None = part.journal.steps.get(step)
    if earlier is not None:
        age = part.session.now() - datetime.fromisoformat(earlier["at"])
        if age < timedelta(seconds=FILES_SECONDS_MAX):
            return earlier
    uploaded = {**await upload(), "at": clock.wire(part.session.now())}
    await part.journal.record(step, uploaded)
    return uploaded


def too_early(part: ThreadPart, intended: Mapping[str, Any]) -> OutcomeUnknown | None:
    """Return an outcome while a post that is not there may still be on its way; None once that is over."""
    at = datetime.fromisoformat(intended["at"])
    left = at + timedelta(seconds=TOO_EARLY_SECONDS) - part.session.now()
    if left <= timedelta(0):
        return None
    message = "It is too early to tell whether the site accepted the post."
    return OutcomeUnknown(message=message, tells_after_seconds=left.total_seconds())


def searched_since(intended: Mapping[str, Any]) -> datetime:
    """Return since when a site may have a post that was intended."""
    return datetime.fromisoformat(intended["at"]) - timedelta(seconds=SKEW_SECONDS)
