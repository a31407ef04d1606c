"""What Matrix allows, and the values of its options."""

from typing import Final

from signalpost.networks.connectors.matrix.sources import SOURCES
from signalpost.networks.contract import Appearance, CredentialField, Facts, Kind, MediaRule, Option, TextRule, View

EVENT_BYTES_MAX: Final = 60_000
"""Of a message as JSON; with what the server adds, an event may have 65,536."""
FILE_BYTES_MAX: Final = 50 * 1024 * 1024
FILES_MAX: Final = 10

_TYPES: Final[dict[Kind, tuple[str, ...]]] = {
    "image": ("image/jpeg", "image/png", "image/webp", "image/avif", "image/heic"),
    "gif": ("image/gif",),
    "video": ("video/mp4", "video/webm", "video/quicktime", "video/x-matroska"),
    "audio": ("audio/mpeg", "audio/mp4", "audio/ogg", "audio/wav", "audio/flac", "audio/aac", "audio/webm"),
    "document": ("application/pdf",),
}
"""Matrix takes any file; these are the types that this service takes."""

FACTS = Facts(
    key="matrix",
    name="Matrix",
    source="spec.matrix.org (Client-Server API 1.18) and the source of Synapse 1.163",
    verified_on="2026-11-28",
    sources=SOURCES,
    appearance=Appearance(views=(View(kind="message"),), card="small"),
    api_version="v3",
    credential_fields=(
        CredentialField(name="homeserverUrl", label="Your homeserver, for example matrix.org"),
        CredentialField(name="accessToken", label="Access token of the user who posts", secret=True),
        CredentialField(name="room", label="Room: its address (#news:example.org) or its ID (!…)"),
    ),
    text=TextRule(max_length=50_000, unit="code_point"),
    media={
        kind: MediaRule(per_post=FILES_MAX, bytes_max=FILE_BYTES_MAX, mime_types=types)
        for kind, types in _TYPES.items()
    },
    thumbnail=MediaRule(per_post=1, bytes_max=10_000_000, mime_types=("image/jpeg", "image/png")),
    media_total=FILES_MAX,
    media_mixed=True,
    thread_parts_max=50,
    options={
        "markdown": Option(
            type=bool,
            description="Whether `**bold**`, `*italic*`, `~~struck~~`, `` `code` `` and `[links](https://…)` are "
            "formatting. Without it the text stands as it is.",
            label="Text with formatting",
            default=False,
        ),
        "notice": Option(
            type=bool,
            description="Whether it is sent as a notice, as bots do: clients show it quieter, and bots do not answer.",
            label="As a notice",
            default=False,
        ),
        "mentionRoom": Option(
            type=bool,
            description="Whether everybody in the room is notified, if the user may do that there. Otherwise nobody "
            "is, whatever names the text has.",
            label="Notify everybody in the room",
            default=False,
        ),
    },
    notes="An account is a room without encryption. Each file is a message of its own, the first with the text; the "
    "parts of a thread are a thread below the first message. Files have no alternative texts. How large a file may "
    "be, each homeserver says. Clients make previews of links themselves.",
)
