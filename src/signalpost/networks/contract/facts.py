"""The fact sheet of a network, and the limits in it. Numbers say their unit in their name or comment.

Preflight, the capabilities and platforms endpoints, `docs/reference/networks.md` and names of settings come from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from signalpost.kit.frames import FrameLimits
from signalpost.networks.contract.appearance import Appearance
from signalpost.networks.contract.sources import Sourced

Kind = Literal["image", "video", "gif", "document", "audio"]
TextUnit = Literal["grapheme", "code_point", "utf16", "weighted", "emoji_bytes"]
"""What a network counts: grapheme clusters (UAX #29), Unicode code points, UTF-16 code units, weights as X does, or
characters with emoji by their bytes as Threads does."""


@dataclass(frozen=True, kw_only=True)
class TextRule:
    """Limits of one text."""

    max_length: int  # in `unit`
    unit: TextUnit = "grapheme"
    bytes_max: int | None = None  # of UTF-8, in addition to max_length
    url_length: int | None = None  # what every http(s) address counts, however long it is; None: its own length
    mentions_count_local_part_only: bool = False  # of `@user@server` only `@user` counts
    required: bool = False


@dataclass(frozen=True, kw_only=True)
class MediaRule:
    """Limits of one kind of media in one post."""

    per_post: int  # files
    bytes_max: int  # of one file
    mime_types: tuple[str, ...]
    duration_ms_max: int | None = None
    pixels_max: int | None = None  # width times height
    side_short_max: int | None = None  # pixels, of the shorter side
    side_long_max: int | None = None  # pixels, of the longer side
    ratio_min: float | None = None  # width by height; the option `fit` says what becomes of other pictures
    ratio_max: float | None = None
    alt_text_max: int | None = None  # characters
    text_max_length: int | None = None  # of the text beside files of this kind, instead of that of `Facts.text`
    mixes_with: tuple[Kind, ...] = ()  # kinds that may stand beside it in a post, unless `Facts.media_mixed` allows all

    @property
    def frame(self) -> FrameLimits:
        return FrameLimits(self.pixels_max, self.side_short_max, self.side_long_max, self.ratio_min, self.ratio_max)


@dataclass(frozen=True, kw_only=True)
class RateLimit:
    """How many requests a network accepts: `count` in each window of `seconds`.

    `per` says who shares them: all accounts of the operator's `app`, one `account`, or all accounts that publish from
    one IP `address`. Limits per account need no bookkeeping here: an account's targets go out one after the other.
    """

    count: int
    seconds: int
    per: Literal["app", "account", "address"]


@dataclass(frozen=True, kw_only=True)
class CredentialField:
    """One field of the form that connects an account. The values of `secret` fields are never shown again."""

    name: str  # camelCase, as in the body of the connect request
    label: str
    secret: bool = False
    required: bool = True


@dataclass(frozen=True, kw_only=True)
class Option:
    """One key of `options.<platform>`: the Python type that its value must convert to, and what it does."""

    type: Any  # anything that msgspec.convert accepts
    description: str
    label: str | None = None  # for a form; None: made of the key
    required: bool = False  # no post goes out without it
    default: Any = None  # what holds without it, if that can be said
    live: bool = False  # the account decides what can be chosen: `Connector.choices` lists it
    depends_on: str | None = None  # the option whose value decides that, such as the board of a section


@dataclass(frozen=True, kw_only=True)
class KeptPrivate:
    """A network may keep a post private that was to be public: by which option that was asked for, and a sentence."""

    option: str  # of `Facts.options`
    value: str  # with which nobody is surprised
    message: str


@dataclass(frozen=True, kw_only=True)
class Facts:
    key: str  # the platform slug of the API
    name: str
    source: str  # where the numbers were read
    verified_on: str  # the day they were read: 2026-11-21
    notes: str = ""  # what a user should know and no other member says; shown in the reference

    api_version: str | None = None  # of the network's API that the connector is written for: v25.0, 202610
    api_sunset_on: str | None = None  # the day that version ends, where the network names one: 2027-05-31

    base_url: str | None = None  # of the network's API, no slash at its end; None: every account brings its own server
    hosts: Mapping[str, str] = field(default_factory=dict)  # other addresses of the API, for `Server.at`; no slash
    directory_url: str | None = None  # where the network's accounts are looked up, if not at its servers; no slash
    app_credentials: bool = False  # the operator registers an app: SIGNALPOST_<KEY>_CLIENT_ID and _CLIENT_SECRET
    credential_fields: tuple[CredentialField, ...] = ()  # what `Connector.connect` takes
    rate_limit: RateLimit | None = None

    text: TextRule
    title: TextRule | None = None  # None: the network has no titles, and the post's title is not sent
    link: Literal["text", "card", "field"] = "text"
    """Where `Outgoing.link` goes: into the text, to a card (into the text beside media), or to a field of its own."""
    first_comment: bool = False
    stories: bool = False  # posts that vanish after a day, by `options.<platform>.type`
    thread_parts_max: int = 0  # posts, the first one included; 0: no threads
    options: Mapping[str, Option] = field(default_factory=dict)

    media: Mapping[Kind, MediaRule] = field(default_factory=dict)  # a kind that is missing is not accepted
    thumbnail: MediaRule | None = None  # of the picture that a user chose for a video; None: it is not sent
    media_total: int | None = None  # files of all kinds in one post
    gif_as_video: bool = False  # an animated GIF becomes an MP4 file: `OutgoingMedia.is_animation`
    media_mixed: bool = False  # whether all kinds may be mixed in one post
    media_required: bool = False

    appearance: Appearance = field(default_factory=Appearance)
    kept_private: KeptPrivate | None = None  # None: what was to be public is public, or fails
    sources: Mapping[str, Sourced] = field(default_factory=dict)  # of each number, by its path: media.image.bytes_max
    reply_text: TextRule | None = None  # of an answer to a comment; None: `text`, since answers are posts there
    replies_mention: bool = False  # an answer begins with the handle of whoever is answered, and that counts
    comments_per_call: int = 1  # posts of which `Connector.comments` reads the comments at once
    comments_note: str | None = None  # what cannot be done with comments there, and why; shown to users
    comments_scopes: tuple[tuple[str, ...], ...] = ()  # permissions that comments need; one tuple for each login
    replies_are_posts: bool = True  # whether `delete` removes an answer; False: `delete_comment` does, own ones too
    metrics_per_call: int = 1  # posts of which `Connector.metrics` reads the numbers at once
    dedupes_for_seconds: int | None = None  # how long a repeat with the same key is recognised; None: never
