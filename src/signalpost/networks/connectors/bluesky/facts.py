"""What Bluesky allows, and the values of its options."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec

from signalpost.kit import issue_text
from signalpost.networks.connectors.bluesky import appearance
from signalpost.networks.connectors.bluesky.sources import SOURCES
from signalpost.networks.contract import (
    CredentialField,
    Facts,
    MediaRule,
    Option,
    Outgoing,
    PreflightIssue,
    RateLimit,
    TextRule,
)
from signalpost.networks.preflight import part_path


class LinkCard(msgspec.Struct, forbid_unknown_fields=True):
    """A link card written by the sender; what is left out is read from the page."""

    title: Annotated[str, msgspec.Meta(max_length=300)] | None = None
    description: Annotated[str, msgspec.Meta(max_length=1000)] | None = None
    image: Annotated[bool, msgspec.Meta(title="With the picture of the page")] = True


Language = Annotated[
    str,
    msgspec.Meta(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$", extra={issue_text.FORMAT: issue_text.LANGUAGE_TAG}),
]
IMAGES_IN_GRID: Final = 4
"""More are a gallery, which Bluesky shows since June 2026: lexicon app.bsky.embed.gallery, 2026-06-03, with a soft
limit of 10; in production github.com/williamsdb/php2Bluesky/issues/40, 2026-09-13, and
github.com/uakihir0/kbsky/pull/242, 2026-06-09, which compared it with a post of ten pictures."""
CAPTION_BYTES_MAX: Final = 20_000
"""Of one track; and 20 tracks. Lexicon app.bsky.embed.video, 2026-08-14; that the app takes WebVTT alone:
github.com/bluesky-social/social-app/issues/6925, 2026-09-15."""


class Captions(msgspec.Struct, forbid_unknown_fields=True):
    """The captions of the first video, in one language."""

    language: Annotated[Language, msgspec.Meta(title="Language, for example en")]
    text: Annotated[
        str,
        msgspec.Meta(
            title="Captions with times (WebVTT)",
            pattern=r"^\ufeff?WEBVTT([ \t\r\n]|$)",
            max_length=CAPTION_BYTES_MAX,
            extra={issue_text.FORMAT: "Must be captions in the format WebVTT, with WEBVTT in the first line."},
        ),
    ]


PostAddress = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^(at://did:[a-z]+:[a-zA-Z0-9._:%-]+/app\.bsky\.feed\.post|https://bsky\.app/profile/[a-zA-Z0-9.:_%-]+/post)"
        r"/[a-zA-Z0-9._~-]+$",
        max_length=400,
        extra={issue_text.FORMAT: "Must be the address of a post on bsky.app, or its at:// address."},
    ),
]
Label = Literal["sexual", "nudity", "porn", "graphic-media"]
Repliers = Literal["mentioned", "followers", "following"]

FACTS = Facts(
    key="bluesky",
    name="Bluesky",
    source="lexicons and reference server of 2026-08, constants of the official app",
    verified_on="2026-11-21",
    sources={**SOURCES, **appearance.SOURCES},
    appearance=appearance.APPEARANCE,
    base_url="https://bsky.social",
    directory_url="https://plc.directory",
    credential_fields=(
        CredentialField(name="identifier", label="Handle (alice.bsky.social) or e-mail address"),
        CredentialField(name="appPassword", label="App password (from Settings, Privacy and security)", secret=True),
        CredentialField(name="service", label="Server, if not bsky.social", required=False),
    ),
    text=TextRule(max_length=300, unit="grapheme", bytes_max=3_000),
    media={
        "image": MediaRule(
            per_post=10,
            bytes_max=2_000_000,
            mime_types=("image/jpeg", "image/png", "image/webp"),
            alt_text_max=2_000,  # the official app's limit; the server has none
        ),
        "video": MediaRule(
            per_post=1,
            bytes_max=52_428_800,  # 50 MiB, the limit of a blob; the video service of Bluesky accepts 300 MB
            mime_types=("video/mp4",),
            duration_ms_max=600_000,
            alt_text_max=2_000,
        ),
    },
    gif_as_video=True,
    comments_note="Bluesky lets nobody delete what others reply, and this version does not hide replies or like them.",
    link="card",
    thread_parts_max=50,
    options={
        "languages": Option(
            type=Annotated[list[Language], msgspec.Meta(max_length=3)],
            description="At most 3 languages, as BCP 47 tags. Defaults to that of the account, or else of the profile.",
        ),
        "labels": Option(
            label="Content warnings",
            type=Annotated[list[Label], msgspec.Meta(max_length=4)],
            description="Content warnings: `sexual`, `nudity`, `porn`, `graphic-media`.",
        ),
        "linkCard": Option(
            type=bool | LinkCard,
            description="Shows a link card when there is no media, for `link` or else for the first URL of the text. "
            "`true` (default) reads title, description and image from the page; `{title, description, image}` sets "
            "them; `false` makes no card of a URL in the text and does not read the page of `link`.",
        ),
        "quoteId": Option(
            label="Post to quote",
            type=PostAddress,
            description="A post to quote: its address on bsky.app, or its `at://` address.",
        ),
        "captions": Option(
            type=Annotated[list[Captions], msgspec.Meta(max_length=20)],
            description="Captions of the first post's video: `{language, text}`, the text in the format WebVTT, at "
            "most 20,000 bytes.",
        ),
        "videoAsGif": Option(
            label="Play like a GIF",
            type=bool,
            description="Plays the first post's video like a GIF: without sound, again and again.",
            default=False,
        ),
        "replyGate": Option(
            label="Who can reply",
            type=Literal["everyone", "nobody"] | list[Repliers],
            description="Who can reply: `everyone` (default), `nobody`, or a list of `mentioned`, `followers` and "
            "`following`.",
        ),
    },
    rate_limit=RateLimit(count=3_000, seconds=300, per="address"),
    notes="Connect by authorization or with an app password. Bluesky shows a GIF as a still image, so the service "
    "makes a video of an animated one, which Bluesky plays like a GIF. Five to ten images are a gallery. Posts cannot "
    "be edited. Each account has 5000 points per hour for writes; a post costs 3.",
)


def preflight(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check captions; warn about videos on an account whose e-mail address is not confirmed."""
    return [*_unconfirmed(outgoing, account_facts), *_of_video(outgoing), *_captions(outgoing)]


def _unconfirmed(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    if account_facts.get("emailConfirmed") is not False:
        return
    message = "Bluesky shows videos only from accounts with a confirmed e-mail address."
    for index, part in enumerate(outgoing.parts):
        if any(media.kind == "video" for media in part.media):
            path = part_path(index, "media")
            yield PreflightIssue("bluesky.media.email_unconfirmed", path, message, severity="warning")


def _of_video(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    if any(media.kind == "video" for media in outgoing.media):
        return
    for name in ("captions", "videoAsGif"):
        if outgoing.options.get(name):
            message = f"The first post has no video, so {name} is left out."
            yield PreflightIssue("bluesky.options.unused", f"/options/{name}", message, severity="warning")


def _captions(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    try:
        tracks = msgspec.convert(outgoing.options.get("captions") or [], list[Captions])
    except msgspec.ValidationError:
        return  # reported by the general check of options
    languages = set()
    for number, track in enumerate(tracks):
        path = f"/options/captions/{number}"
        actual = len(track.text.encode("utf-8", "surrogatepass"))
        if actual > CAPTION_BYTES_MAX:
            message = f"These captions are {actual} bytes long; Bluesky allows {CAPTION_BYTES_MAX}."
            params = {"limit": CAPTION_BYTES_MAX, "actual": actual}
            yield PreflightIssue("bluesky.captions.max_bytes", f"{path}/text", message, params)
        if track.language in languages:
            message = f"There are two captions in the language {track.language}."
            yield PreflightIssue("bluesky.captions.languages_differ", f"{path}/language", message)
        languages.add(track.language)
