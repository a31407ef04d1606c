"""What Nostr allows, and the values of its options."""

from typing import Annotated, Final

import msgspec

from signalpost.networks.connectors.nostr.sources import SOURCES
from signalpost.networks.contract import Appearance, CredentialField, Facts, Kind, MediaRule, Option, TextRule

EVENT_BYTES_MAX: Final = 65_536
"""Of an event as JSON, where the relays name no limit: what strfry takes as it is shipped."""
RELAYS_MAX: Final = 10
INDEXES: Final = ("index", "second", "third")
"""In `Facts.hosts`: relays that are asked for the lists of accounts; the first keeps nothing else."""
MEDIA: Final = "media"
_FILES_MAX: Final = 10
_FILE_BYTES_MAX: Final = 100_000_000
_ALT_TEXT_MAX: Final = 1_000

_TYPES: Final[dict[Kind, tuple[str, ...]]] = {
    "image": ("image/jpeg", "image/png", "image/webp", "image/avif"),
    "gif": ("image/gif",),
    "video": ("video/mp4", "video/webm", "video/quicktime"),
    "audio": ("audio/mpeg", "audio/mp4", "audio/ogg", "audio/wav", "audio/flac", "audio/aac"),
}
"""A media server may take fewer, and says so when it refuses one."""

FACTS = Facts(
    key="nostr",
    name="Nostr",
    source="NIPs 01, 09, 10, 11, 18, 19, 36, 65 and 92 (nostr-protocol/nips of 2026-07-22), BUDs 01, 02, 03 and 11 "
    "(hzrd149/blossom of 2026-04-22)",
    verified_on="2026-11-29",
    sources=SOURCES,
    appearance=Appearance(marks=("hashtag", "link"), card="large"),
    hosts={
        "index": "https://purplepag.es",
        "second": "https://relay.damus.io",
        "third": "https://relay.primal.net",
        "media": "https://blossom.primal.net",
    },
    credential_fields=(
        CredentialField(name="privateKey", label="Private key (nsec1…)", secret=True),
        CredentialField(name="relays", label="Relays (wss://…); empty: those of your list", required=False),
        CredentialField(name="mediaServer", label="Blossom server for files; empty: that of your list", required=False),
    ),
    text=TextRule(max_length=50_000, unit="code_point"),
    media={
        kind: MediaRule(
            per_post=_FILES_MAX, bytes_max=_FILE_BYTES_MAX, mime_types=types, alt_text_max=_ALT_TEXT_MAX
        )
        for kind, types in _TYPES.items()
    },
    media_total=_FILES_MAX,
    media_mixed=True,
    thread_parts_max=50,
    options={
        "contentWarning": Option(
            type=Annotated[str, msgspec.Meta(pattern=r"\S", max_length=200)],
            description="Why the note is hidden until a reader wants to see it.",
            label="Content warning",
        ),
        "quoteId": Option(
            type=Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)],
            description="The note to quote, by its id as apps copy it: it begins with nevent1 or note1.",
            label="Post to quote",
        ),
    },
    notes="An account is a key. A note is sent to all relays of the account, and published once one of them has it. "
    "Files go to a Blossom server, and their addresses into the text. The parts of a thread are replies. Deleting asks "
    "the relays to delete; nobody can make all of them do it.",
)  # fmt: skip
