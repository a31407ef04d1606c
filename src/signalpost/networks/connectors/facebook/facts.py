"""What a Facebook Page accepts, and the values of its options."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from signalpost.networks.connectors.facebook import appearance
from signalpost.networks.connectors.facebook.sources import SOURCES
from signalpost.networks.contract import Facts, MediaRule, Option, Outgoing, OutgoingMedia, PreflightIssue, TextRule
from signalpost.networks.meta.graph import GRAPH_SUNSET_ON, GRAPH_VERSION

STORY_MS = (3_000, 60_000)
REEL_MS = (3_000, 90_000)
VIDEO_BYTES_WARN = 2_000_000_000
PHOTO_BYTES_WARN = 4_000_000

Url = Annotated[str, msgspec.Meta(pattern=r"^https?://\S+$", max_length=2_048)]


class Card(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """One card of a link carousel."""

    link: Url
    title: Annotated[str, msgspec.Meta(min_length=1, max_length=255)]
    description: Annotated[str, msgspec.Meta(max_length=1_000)] | None = None
    image_url: Annotated[Url, msgspec.Meta(title="Address of a picture")] | None = None


FACTS = Facts(
    key="facebook",
    name="Facebook",
    source="developers.facebook.com: Pages API, Reels Publishing API, Video API; facebook-business 25.0",
    verified_on="2026-11-22",
    sources={**SOURCES, **appearance.SOURCES},
    appearance=appearance.APPEARANCE,
    api_version=GRAPH_VERSION,
    api_sunset_on=GRAPH_SUNSET_ON,
    base_url="https://graph.facebook.com",
    hosts={
        "web": "https://www.facebook.com",
        "video": "https://graph-video.facebook.com",
        "upload": "https://rupload.facebook.com",
    },
    app_credentials=True,
    text=TextRule(max_length=63_206, unit="code_point"),
    reply_text=TextRule(max_length=8_000, unit="utf16"),
    media={
        "image": MediaRule(
            per_post=10,
            bytes_max=10_000_000,
            mime_types=("image/jpeg", "image/png", "image/gif", "image/bmp", "image/tiff"),
            alt_text_max=1_000,
        ),
        "video": MediaRule(
            per_post=1,
            bytes_max=5_000_000_000,  # Facebook takes 10 GB, this service 5
            mime_types=("video/mp4", "video/quicktime"),
            duration_ms_max=14_400_000,
        ),
    },
    link="card",
    first_comment=True,
    stories=True,
    options={
        "type": Option(
            label="Kind of post",
            type=Literal["feed", "reel", "story"],
            description="`feed` (default), `reel` (one video of 3 to 90 s) or `story` (one image or one video of 3 to "
            "60 s, without text).",
            default="feed",
        ),
        "link": Option(
            label="Link of the card",
            type=Url,
            description="The link that is shown as a card, instead of the post's `link`.",
        ),
        "draft": Option(
            label="Leave as a draft",
            type=bool,
            description="Leaves the post as a draft in the Page's publishing tools. Not for stories.",
            default=False,
        ),
        "carouselCards": Option(
            label="Cards of a carousel",
            type=Annotated[list[Card], msgspec.Meta(min_length=2, max_length=10)],
            description="A carousel of links: 2 to 10 cards `{link, title, description?, imageUrl?}`, without media.",
        ),
    },
    notes="Posts go to Pages; personal profiles and groups cannot be posted to. Facebook refuses a text that equals "
    "the one before it. A Page can have 30 reels in 24 hours. Files are uploaded, so this service needs no public "
    "address.",
    comments_scopes=(("pages_read_user_content", "pages_manage_engagement"),),
    replies_are_posts=False,
)


def kind_of(outgoing: Outgoing) -> str:
    """Return what the post becomes: feed, reel or story."""
    return str(outgoing.options.get("type") or "feed")


def preflight(outgoing: Outgoing, _account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check what a reel, a story and a carousel of links consist of."""
    kind = kind_of(outgoing)
    rules = {"reel": _reel, "story": _story}
    issues = [*rules.get(kind, _feed)(outgoing), *_sizes(outgoing.media)]
    if outgoing.first_comment and (outgoing.options.get("draft") or kind == "story"):
        message = f"A {'story' if kind == 'story' else 'draft'} cannot have a first comment."
        issues.append(_issue("first_comment.impossible", "/firstComment", message))
    return issues


def _issue(rule: str, path: str, message: str, severity: Any = "error", **params: Any) -> PreflightIssue:
    return PreflightIssue(f"facebook.{rule}", path, message, params or None, severity)


def _feed(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    if outgoing.options.get("carouselCards"):
        if outgoing.media:
            yield _issue("carousel.with_media", "/media", "A carousel of links has no media of its own.")
        if not (outgoing.options.get("link") or outgoing.link):
            message = "A carousel of links needs the link of the whole post."
            yield _issue("carousel.link_required", "/options/carouselCards", message)
    if outgoing.media and outgoing.options.get("link"):
        message = "A post with media shows no link card; put the link into the text."
        yield _issue("link.with_media", "/options/link", message)


def _reel(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    if [media.kind for media in outgoing.media] != ["video"]:
        yield _issue("reel.one_video", "/media", "A reel consists of one video.")
        return
    video = outgoing.media[0]
    yield from _duration("reel", video, REEL_MS)
    if video.width and video.height and (video.width < 540 or video.height < 960):
        message = f"A reel is at least 540 by 960 pixels large; this video is {video.width} by {video.height}."
        yield _issue("reel.min_pixels", "/media/0", message, width=video.width, height=video.height)


def _story(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    if len(outgoing.media) != 1:
        yield _issue("story.one_file", "/media", "A story consists of one image or one video.")
        return
    if outgoing.media[0].kind == "video":
        yield from _duration("story", outgoing.media[0], STORY_MS)
    if outgoing.text.strip():
        yield _issue("story.text_ignored", "/text", "A story shows no text; it is published without.", "warning")
    if outgoing.options.get("draft"):
        yield _issue("story.draft", "/options/draft", "A story cannot be a draft.")


def _duration(kind: str, video: OutgoingMedia, limits: tuple[int, int]) -> Iterator[PreflightIssue]:
    least, most = limits
    if video.duration_ms is not None and not least <= video.duration_ms <= most:
        message = f"A {kind} is {least // 1000} to {most // 1000} s long; this video is {video.duration_ms / 1000:g} s."
        yield _issue(f"{kind}.duration", "/media/0", message, minimum=least, limit=most, actual=video.duration_ms)


def _sizes(media: Sequence[OutgoingMedia]) -> Iterator[PreflightIssue]:
    for index, file in enumerate(media):
        limit = PHOTO_BYTES_WARN if file.kind == "image" else VIDEO_BYTES_WARN
        if file.size_bytes > limit:
            message = f"Facebook may refuse this file: it is {file.size_bytes} bytes large, more than {limit}."
            yield _issue("media.large", f"/media/{index}", message, "warning", limit=limit, actual=file.size_bytes)
