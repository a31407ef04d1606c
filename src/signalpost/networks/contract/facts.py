"""The fact sheet of a network, and the limits in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["image", "video", "gif", "document", "audio"]
TextUnit = Literal["grapheme", "code_point", "utf16", "weighted"]


@dataclass(frozen=True, kw_only=True)
class TextRule:
    """Limits of a text. `bytes_max` counts UTF-8 bytes; `url_length` is what every http(s) address counts for."""

    max_length: int
    unit: TextUnit = "grapheme"
    bytes_max: int | None = None
    url_length: int | None = None
    mentions_count_local_part_only: bool = False
    required: bool = False


@dataclass(frozen=True, kw_only=True)
class MediaRule:
    """Limits of one kind of media in one post. Sizes in bytes, lengths in milliseconds, areas in pixels."""

    per_post: int
    bytes_max: int
    mime_types: tuple[str, ...]
    duration_ms_max: int | None = None
    pixels_max: int | None = None
    alt_text_max: int | None = None
    mixes_with: tuple[Kind, ...] = ()  # other kinds that may stand beside it, where `Facts.media_mixed` is off


@dataclass(frozen=True, kw_only=True)
class CredentialField:
    """One field of a credential form: `secret` ones are never shown again."""

    name: str
    label: str
    secret: bool = False
    required: bool = True


@dataclass(frozen=True, kw_only=True)
class Option:
    """One allowed key of `options.<platform>`: what values it takes, as a Python type that msgspec can convert to."""

    type: Any
    description: str


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The fact sheet of a network: preflight, capabilities, reference page and settings names come from here."""

    key: str
    name: str
    source: str
    verified_on: str
    base_url: str | None = None  # where the API lives; None: every account brings its own server
    app_credentials: bool = False  # the operator registers an app: SIGNALPOST_<KEY>_CLIENT_ID and _CLIENT_SECRET
    credential_fields: tuple[CredentialField, ...] = ()
    account_kind: str = "personal"
    text: TextRule
    title: TextRule | None = None
    media: Mapping[Kind, MediaRule] = field(default_factory=dict)
    media_mixed: bool = False  # may kinds be mixed in one post
    media_total: int | None = None
    media_required: bool = False
    link: Literal["text", "card"] = "text"  # where `Outgoing.link` goes: into the text, or a card (text beside media)
    thread_parts_max: int = 0  # 0: no threads; else posts in all, the first one counted
    first_comment: bool = False
    alt_text: bool = True
    options: Mapping[str, Option] = field(default_factory=dict)
    dedupes_for_seconds: int | None = None  # how long a repeat with the same key is recognised; None: never
    edits: bool = False
    requests_per_window: tuple[int, int] | None = None  # (requests, seconds) per app, shared by all accounts
    notes: str = ""
