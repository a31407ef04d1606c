"""The Atom feed of the service status: an entry for each incident, with all of its updates."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from signalpost.console.texts import Texts
from signalpost.kit import clock
from signalpost.status.queries import IncidentRow, UpdateRow
from signalpost.status.states import IncidentStatus

_ATOM: Final = "http://www.w3.org/2005/Atom"
_NOT_XML: Final = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def render(
    incidents: Sequence[IncidentRow],
    updates: Mapping[UUID, Sequence[UpdateRow]],
    *,
    url: str,
    now: datetime,
    t: Texts,
    statuses: Mapping[IncidentStatus, str],
) -> bytes:
    """Return the feed (RFC 4287) in a language. `url`: the status page; `statuses`: how each is called in English."""
    from xml.etree import ElementTree  # noqa: PLC0415 - only the feed needs it; it writes, and reads nothing

    def add(parent: ElementTree.Element, name: str, text: str | None = None, **attributes: str) -> ElementTree.Element:
        element = ElementTree.SubElement(parent, name, attributes)
        element.text = None if text is None else _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
        return element

    feed = ElementTree.Element("feed", {"xmlns": _ATOM})
    add(feed, "title", t("Service status"))
    add(feed, "id", url)
    add(feed, "link", href=url)
    add(feed, "link", rel="self", href=f"{url}/feed.atom")
    add(feed, "updated", clock.wire(max((row.updated_at for row in incidents), default=now)))
    for row in incidents:
        entry = add(feed, "entry")
        add(entry, "title", row.title)
        add(entry, "id", f"urn:uuid:{row.id}")
        add(entry, "link", href=f"{url}#incident-{row.id}")
        add(entry, "published", clock.wire(row.created_at))
        add(entry, "updated", clock.wire(row.updated_at))
        add(add(entry, "author"), "name", t("Service status"))
        text = "\n\n".join(
            f"{t.time(clock.wire(update.created_at))}: {t(statuses[update.status])}\n{update.body}"
            for update in updates[row.id]
        )
        add(entry, "content", text, type="text")
    written: bytes = ElementTree.tostring(feed, encoding="utf-8", xml_declaration=True)
    return written
