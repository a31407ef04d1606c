"""What YouTube allows, and the values of its options."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec

from signalpost.networks.connectors.youtube import appearance
from signalpost.networks.connectors.youtube.sources import SOURCES
from signalpost.networks.contract import (
    Facts,
    KeptPrivate,
    MediaRule,
    Option,
    Outgoing,
    OutgoingMedia,
    PreflightIssue,
    RateLimit,
    TextRule,
)
from signalpost.networks.preflight import text_of_part

COMMENT_MAX: Final = 10_000
TAGS_MAX: Final = 500
SHORT_MS_MAX: Final = 180_000
_UNVERIFIED_MS_MAX: Final = 900_000
_FORBIDDEN: Final = frozenset("<>")

Tag = Annotated[str, msgspec.Meta(min_length=1, max_length=TAGS_MAX)]
PlaylistId = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
CategoryId = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,4}$")]

FACTS = Facts(
    key="youtube",
    name="YouTube",
    source="developers.google.com, YouTube Data API v3, revision history to 2026-11-03",
    verified_on="2026-11-21",
    sources={**SOURCES, **appearance.SOURCES},
    appearance=appearance.APPEARANCE,
    base_url="https://www.googleapis.com",
    hosts={
        "accounts": "https://accounts.google.com",
        "oauth": "https://oauth2.googleapis.com",
        "analytics": "https://youtubeanalytics.googleapis.com",
    },
    api_version="v3",
    app_credentials=True,
    text=TextRule(max_length=5_000, unit="code_point", bytes_max=5_000),
    title=TextRule(max_length=100, unit="code_point", required=True),
    reply_text=TextRule(max_length=COMMENT_MAX, unit="utf16"),
    media={
        "video": MediaRule(
            per_post=1,
            bytes_max=256_000_000_000,
            mime_types=("video/mp4", "video/quicktime", "video/webm", "video/x-msvideo", "video/x-matroska"),
            duration_ms_max=43_200_000,
        )
    },
    thumbnail=MediaRule(per_post=1, bytes_max=2_097_152, mime_types=("image/jpeg", "image/png"), pixels_max=8_294_400),
    media_total=1,
    media_required=True,
    first_comment=True,
    metrics_per_call=50,
    options={
        "visibility": Option(
            type=Literal["public", "unlisted", "private"],
            description="Who can see the video: `public` (default), `unlisted` or `private`.",
            default="public",
        ),
        "madeForKids": Option(
            type=bool, description="Whether the video is made for children. Defaults to `false`.", default=False
        ),
        "categoryId": Option(
            type=CategoryId,
            description="The number of a video category. Defaults to `22` (People & Blogs).",
            label="Category",
            default="22",
            live=True,
        ),
        "tags": Option(
            label="Keywords",
            type=Annotated[list[Tag], msgspec.Meta(max_length=TAGS_MAX)],
            description="Keywords, at most 500 characters together: each comma between them counts, and the quotation "
            "marks around a tag with spaces.",
        ),
        "playlistId": Option(
            type=PlaylistId,
            description="A playlist of the channel to add the video to.",
            label="Playlist",
            live=True,
        ),
        "type": Option(
            label="Kind of video",
            type=Literal["video", "short"],
            description="`short`: refuses what YouTube would not show as a Short. By default YouTube decides.",
        ),
        "syntheticMedia": Option(
            label="Altered or generated content",
            type=bool,
            description="Whether the video shows realistic content that was altered or generated.",
            default=False,
        ),
        "notifySubscribers": Option(
            type=bool, description="Whether subscribers are notified. Defaults to `true`.", default=True
        ),
    },
    kept_private=KeptPrivate(
        option="visibility",
        value="private",
        message="YouTube keeps this video private, although the post did not ask for that: only people whom the owner "
        "of the channel invites can see it. Settings of the channel, or YouTube's own checks, may be the reason. The "
        "owner can make it public in YouTube Studio, which says why.",
    ),
    rate_limit=RateLimit(count=100, seconds=86_400, per="app"),
    notes="The text is the description of the video. An upload costs 1 of the 100 uploads that an app has each day, "
    "until midnight Pacific time; other calls share 10,000 units.",
    comments_note="YouTube lets no app like comments. Hiding holds a comment back for review; what others wrote is "
    "removed by rejecting it, which cannot be taken back.",
    comments_scopes=(("https://www.googleapis.com/auth/youtube.force-ssl",),),
    replies_are_posts=False,
)


def is_short(media: OutgoingMedia) -> bool:
    """Return whether YouTube shows a video as a Short: square or upright, and at most three minutes long."""
    upright = bool(media.width and media.height and media.width <= media.height)
    return upright and media.duration_ms is not None and media.duration_ms <= SHORT_MS_MAX


def tags_length(tags: Sequence[str]) -> int:
    """Return how YouTube counts tags."""
    return sum(len(tag) + (2 if " " in tag else 0) for tag in tags) + max(len(tags) - 1, 0)


def preflight(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check characters, tags, the first comment, and the length of the video."""
    issues = [*_characters(outgoing), *_tags(outgoing)]
    comment = outgoing.first_comment or ""
    if len(comment) > COMMENT_MAX:
        message = f"The comment is {len(comment)} characters long; YouTube allows {COMMENT_MAX}."
        params = {"limit": COMMENT_MAX, "actual": len(comment)}
        issues.append(PreflightIssue("youtube.comment.max", "/firstComment", message, params))
    for media in outgoing.media[:1]:
        issues += _video(outgoing, media, account_facts)
    return issues


def _characters(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    for name, text in (("title", outgoing.title or ""), ("text", text_of_part(FACTS, outgoing, 0))):
        if not _FORBIDDEN.isdisjoint(text):
            message = f"The {name} contains < or >, which YouTube does not accept."
            yield PreflightIssue(f"youtube.{name}.characters", f"/{name}", message)


def _tags(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    tags = outgoing.options.get("tags")
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        return
    actual = tags_length(tags)
    if actual > TAGS_MAX:
        message = f"The tags count {actual} characters; YouTube allows {TAGS_MAX}."
        yield PreflightIssue("youtube.tags.max", "/options/tags", message, {"limit": TAGS_MAX, "actual": actual})
    for index, tag in enumerate(tags):
        if not _FORBIDDEN.isdisjoint(tag):
            message = "The tag contains < or >, which YouTube does not accept."
            yield PreflightIssue("youtube.tags.characters", f"/options/tags/{index}", message)


def _video(outgoing: Outgoing, media: OutgoingMedia, account_facts: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    if media.kind != "video":
        return
    if outgoing.options.get("type") == "short" and not is_short(media) and media.duration_ms is not None:
        message = "YouTube shows a video as a Short if it is square or upright and at most 180 seconds long."
        params = {"width": media.width, "height": media.height, "durationMs": media.duration_ms}
        yield PreflightIssue("youtube.media.short", "/media/0", message, params)
    limited = account_facts.get("longUploads") is False
    if limited and media.duration_ms is not None and media.duration_ms > _UNVERIFIED_MS_MAX:
        message = "This channel can upload 15 minutes at most until its owner verifies it at youtube.com/verify."
        params = {"limit": _UNVERIFIED_MS_MAX, "actual": media.duration_ms}
        yield PreflightIssue("youtube.media.unverified_duration", "/media/0", message, params)
