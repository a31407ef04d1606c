"""What only code can check before a note is sent."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from signalpost.networks.connectors.nostr.facts import EVENT_BYTES_MAX, FACTS
from signalpost.networks.connectors.nostr.note import content_of, quoted_of, size_of, tags_of
from signalpost.networks.contract import Outgoing, PreflightIssue
from signalpost.networks.preflight import part_path

_URL = f"https://media.example.org/{'0' * 64}.jpeg"
_NOBODY = "0" * 64


def preflight(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check the size of notes as they are sent, and whether a quoted note can be read."""
    return [*_sizes(outgoing, account_facts), *_quote(outgoing)]


def _sizes(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    """A note is as long as the relay with the highest limit takes it."""
    named = account_facts.get("messageBytesMax")
    limit = named if type(named) is int else EVENT_BYTES_MAX
    above = [{"id": _NOBODY, "relay": "wss://relay.example.org/"}]
    for index, part in enumerate(outgoing.parts):
        if len(part.text) > FACTS.text.max_length:
            continue  # reported by the general check
        urls = [_URL] * len(part.media)
        tags = tags_of(outgoing, index, urls, above * min(index, 2), _NOBODY)
        actual = size_of(content_of(outgoing, index, urls), tags)
        if actual > limit:
            message = f"The note is {actual} bytes long as it is sent; the account's relays allow {limit}."
            params = {"limit": limit, "actual": actual}
            yield PreflightIssue("nostr.text.max_bytes", part_path(index, "text"), message, params)


def _quote(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    quoted = outgoing.options.get("quoteId")
    if isinstance(quoted, str) and quoted_of(quoted.strip().removeprefix("nostr:")) is None:
        message = "This is not the id of a note. Copy it again: it begins with nevent1 or note1."
        yield PreflightIssue("nostr.quote.invalid", "/options/quoteId", message)
